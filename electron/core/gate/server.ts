import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dispatchNative } from './dispatch.js';
import type { GatePorts } from './ports.js';

/** Largest event that is read, in bytes; a larger one is denied. Claude Code sends 4 MB payloads (measured). */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Header that labels a dispatch with its run. The token gives no authority: it can dispatch, never approve. */
export const TOKEN_HEADER = 'x-sallyport-token';

export interface GateServer {
  readonly httpUrl: string;
  readonly token: string;
  readonly socketPath: string;
  /** Stops answering at once: from now on every event of the run is denied by its agent. */
  readonly close: () => Promise<void>;
}

/** A run's token: 256 random bits in hex, without any meaning. */
export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/**
 * Starts the gate of one run on a free loopback port and on a Unix socket (mode 0600, in a folder
 * of mode 0700 that the caller made). Every dispatch is answered 200 with a JSON body and a
 * content-length, since a 204 or an empty 200 runs the tool even under `onFailure: "block"`
 * (measured on Claude Code 2.1.332); what is not a dispatch gets an error status, which denies.
 */
export async function startGateServer(ports: GatePorts, socketPath: string, token: string): Promise<GateServer> {
  const sockets = new Set<Socket>();
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    handle(ports, token, request, response).catch((error: unknown) => {
      // No answer at all is a denial for every compiled form; half of one must not be taken for an answer.
      ports.report({ kind: 'trouble', event: request.url ?? '', reason: `the gate broke: ${String(error)}` });
      response.destroy();
    });
  };
  const tcp = listenerOn(handler, sockets);
  const unix = listenerOn(handler, sockets);
  await listening(tcp, (ready) => tcp.listen({ host: '127.0.0.1', port: 0 }, ready));
  await listening(unix, (ready) => unix.listen({ path: socketPath }, ready));
  await chmod(socketPath, 0o600);
  const { port } = tcp.address() as AddressInfo;
  return {
    httpUrl: `http://127.0.0.1:${port}`,
    token,
    socketPath,
    close: async () => {
      const closed = [tcp, unix].map(
        (server) =>
          new Promise<void>((resolve) =>
            server.close(() => {
              resolve();
            }),
          ),
      );
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function listenerOn(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  sockets: Set<Socket>,
): Server {
  // No time-out of the server's own: a call may be held for as long as a person is asked.
  const server = createServer({ requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout: 60_000 }, handler);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return server;
}

function listening(server: Server, listen: (ready: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    listen(() => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function handle(
  ports: GatePorts,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = refuse(request, token);
  if (refusal !== null) {
    answer(response, refusal.status, JSON.stringify({ error: refusal.why }));
    request.resume();
    return;
  }
  const event = /^\/dispatch\/([A-Za-z0-9._-]{1,64})$/.exec(request.url ?? '')?.[1];
  if (event === undefined) {
    answer(response, 404, JSON.stringify({ error: 'no such address' }));
    request.resume();
    return;
  }
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const body = await readBody(request);
  if (body === null) {
    ports.report({ kind: 'trouble', event, reason: 'the event is larger than 64 MiB or broke off' });
    answer(response, 413, JSON.stringify({ error: 'the event is larger than 64 MiB or broke off' }));
    return;
  }
  const dispatched = await dispatchNative(ports, event, body, gone.signal);
  answer(response, 200, dispatched.answer.body, dispatched.afterwards);
}

function refuse(request: IncomingMessage, token: string): { status: number; why: string } | null {
  if (request.method !== 'POST') return { status: 405, why: 'only POST' };
  if (request.headers.origin !== undefined) return { status: 403, why: 'browsers have no business here' };
  const host = request.headers.host ?? '';
  // `gate` is what the launcher's curl names on the Unix socket; anything else is a rebinding attempt.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host) && host !== 'gate') return { status: 403, why: 'wrong host' };
  const given = request.headers[TOKEN_HEADER];
  if (typeof given !== 'string' || !sameToken(given, token))
    return { status: 403, why: 'this token belongs to no live run' };
  return null;
}

/** Compares in constant time, whatever the lengths. */
function sameToken(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      if (size > MAX_BODY_BYTES) return null;
      chunks.push(bytes);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  afterwards: () => void = () => undefined,
): void {
  const bytes = Buffer.from(body, 'utf8');
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes, afterwards);
}
