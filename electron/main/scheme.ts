/**
 * `app://sallyport/`: the window's pages. Job: answer with files of the bundle's renderer folder, with fixed
 * types and the strictest content policy. It must not read outside that folder, nor answer any other host.
 */
import { randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protocol } from 'electron';

const SCHEME = 'app';
const HOST = 'sallyport';
const ORIGIN = `${SCHEME}://${HOST}`;
/** The page of every window of the app. */
export const PAGE = `${ORIGIN}/index.html`;

const PAGES = fileURLToPath(new URL('../renderer', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Before Electron is ready. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, codeCache: true } },
  ]);
}

/** After Electron is ready. */
export function serveScheme(): void {
  protocol.handle(SCHEME, (request) => answer(request.method, request.url));
}

/** Exactly our scheme and host; `app://sallyport.example/` is another host. */
export function isOwnUrl(text: string): boolean {
  try {
    const url = new URL(text);
    return url.protocol === `${SCHEME}:` && url.host === HOST;
  } catch {
    return false;
  }
}

/** Whether a frame's origin, as Chromium tells it, is exactly ours. */
export function isOwnOrigin(origin: string): boolean {
  return origin === ORIGIN;
}

async function answer(method: string, url: string): Promise<Response> {
  const file = method === 'GET' && isOwnUrl(url) ? await fileOf(new URL(url).pathname) : null;
  const type = file === null ? undefined : TYPES[extname(file)];
  if (file === null || type === undefined) return new Response('', { status: 404 });
  const nonce = randomBytes(18).toString('base64');
  const bytes = await readFile(file);
  const body = extname(file) === '.html' ? bytes.toString('utf8').replace('CSP_NONCE', nonce) : new Uint8Array(bytes);
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-security-policy': policy(nonce),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
  });
}

/** The real path of a page's file below the pages' real folder; null for any other. */
async function fileOf(pathname: string): Promise<string | null> {
  try {
    const root = await realpath(PAGES);
    const real = await realpath(join(root, decodeURIComponent(pathname === '/' ? '/index.html' : pathname)));
    return real.startsWith(root + sep) ? real : null;
  } catch {
    return null;
  }
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
