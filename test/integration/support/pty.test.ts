import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { onLoopback } from '../../support/loopback.js';
import { openTerminal } from '../../support/pty.js';
import { spawnSync } from 'node:child_process';

const options = { cwd: tmpdir(), env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' } };

describe('a terminal', () => {
  it('shows a question, types the answer and gives the status', async () => {
    const script = 'test -t 0 && test -t 1 || exit 9; printf "name? "; read n; echo "hello $n"; exit 3';
    const terminal = openTerminal(['sh', '-c', script], options);
    await terminal.expect('name? ');
    terminal.type('Ada\r');
    expect(await terminal.expect(/hello (\w+)/)).toBe('hello Ada');
    expect(await terminal.end()).toEqual({ status: 3 });
  });

  it('says what the screen held when the program ends first', async () => {
    const terminal = openTerminal(['sh', '-c', "echo it''s over"], options);
    await expect(terminal.expect('never')).rejects.toThrow(/ended with status 0[\s\S]*its over/);
  });

  it('looks only at what came after the last match', async () => {
    const terminal = openTerminal(['sh', '-c', 'echo ok; read x; echo done'], options);
    await terminal.expect('ok');
    await expect(terminal.expect('ok', 100)).rejects.toThrow(/100 ms passed/);
    terminal.type('\r');
    await terminal.expect('done');
    await terminal.end();
  });
});

describe('only loopback', () => {
  it('leaves no interface but lo, which is up', () => {
    const [program, ...args] = onLoopback(['ip', '-brief', 'link', 'show']);
    const shown = spawnSync(program, args, { encoding: 'utf8', env: options.env });
    expect(shown.stderr).toBe('');
    expect(shown.stdout.trim().split('\n')).toHaveLength(1);
    expect(shown.stdout).toMatch(/^lo .*LOWER_UP/);
  });
});
