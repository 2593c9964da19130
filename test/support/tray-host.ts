/** The desktop's half of tray and notifications, as a real program on a session bus (tray-host.py). */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface TrayState {
  readonly tooltip: string;
  /** Labels in order; entries of a submenu as `A > B`. */
  readonly menu: readonly string[];
  /** Width, height, and the pixels (alpha, red, green, blue) as hex. */
  readonly icon: readonly [number, number, string];
}

export interface Note {
  readonly title: string;
  readonly body: string;
}

export interface TrayHost {
  readonly state: () => Promise<TrayState>;
  /** Clicks an entry of the menu, named by the beginnings of its labels. */
  readonly click: (...path: readonly string[]) => Promise<void>;
  readonly activate: () => Promise<void>;
  readonly notes: readonly Note[];
  readonly clickNote: (index: number) => Promise<void>;
  /** How many icons were registered so far. */
  readonly items: () => number;
  readonly end: () => Promise<void>;
}

type Said = { event?: string; answer?: unknown; error?: string; title?: string; body?: string };

/** Starts one on the bus of `env`; it stands when this settles. */
export async function startTrayHost(env: Readonly<Record<string, string>>): Promise<TrayHost> {
  // The system's Python: GObject's bindings are a package of Debian's.
  const child = spawn('/usr/bin/python3', [join(import.meta.dirname, 'tray-host.py')], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const notes: Note[] = [];
  const waiting: ((said: Said) => void)[] = [];
  let items = 0;
  let ready = () => undefined as void;
  const up = new Promise<void>((resolve, reject) => {
    ready = resolve;
    child.on('error', reject);
    child.on('exit', (status) => reject(new Error(`the tray host ended with status ${String(status)}`)));
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as Said;
    if (said.event === 'ready') ready();
    else if (said.event === 'item') items += 1;
    else if (said.event === 'notification') notes.push({ title: said.title ?? '', body: said.body ?? '' });
    else waiting.shift()?.(said);
  });
  const ask = async (command: object): Promise<unknown> => {
    const said = await new Promise<Said>((resolve) => {
      waiting.push(resolve);
      child.stdin.write(`${JSON.stringify(command)}\n`);
    });
    if (said.error !== undefined) throw new Error(said.error);
    return said.answer;
  };
  await up;
  return {
    notes,
    state: async () => (await ask({ do: 'state' })) as TrayState,
    click: async (...path) => void (await ask({ do: 'click', path })),
    activate: async () => void (await ask({ do: 'activate' })),
    clickNote: async (index) => void (await ask({ do: 'click-notification', index })),
    items: () => items,
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
