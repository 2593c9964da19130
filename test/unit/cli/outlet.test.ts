import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openOutlet } from '../../../electron/cli/terminal/outlet.js';

const broken = () => Object.assign(new Error('broken'), { code: 'EPIPE' });

describe('an outlet', () => {
  it('is lost once, by an error that comes later, and is silent from then on', async () => {
    let writes = 0;
    const stream = new Writable({
      write: (_chunk, _encoding, done) => {
        writes += 1;
        done(broken());
      },
    });
    const lost: string[] = [];
    const outlet = openOutlet(stream, (code) => lost.push(code));
    outlet.write('a');
    await new Promise((resolve) => setImmediate(resolve));
    outlet.write('b');
    await new Promise((resolve) => setImmediate(resolve));
    expect({ writes, lost, now: outlet.lost() }).toEqual({ writes: 1, lost: ['EPIPE'], now: 'EPIPE' });
  });

  it('is lost by an error that is thrown', () => {
    const stream = new Writable({ write: () => undefined });
    stream.write = () => {
      throw broken();
    };
    const outlet = openOutlet(stream);
    outlet.write('a');
    expect(outlet.lost()).toBe('EPIPE');
  });
});
