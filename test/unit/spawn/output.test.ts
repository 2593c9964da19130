import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readOutput } from '../../../electron/core/spawn/output.js';

describe('reading an output', () => {
  it('counts the excess once, at the first byte over the limit', async () => {
    let excess = 0;
    const stream = new PassThrough();
    const reader = readOutput(stream, { sink: null, maxBytes: 3, onExcess: () => (excess += 1) });
    for (const text of ['ab', 'c', 'd', 'e']) stream.write(text);
    stream.end();
    await reader.done;
    expect([reader.bytes().toString(), reader.truncated(), excess]).toEqual(['abc', true, 1]);
  });

  it('ends when the stream breaks or is given up', async () => {
    const broken = new PassThrough();
    const one = readOutput(broken, { sink: null, maxBytes: 3, onExcess: () => undefined });
    broken.destroy(new Error('broken'));
    await one.done;
    const open = new PassThrough();
    const two = readOutput(open, { sink: null, maxBytes: 3, onExcess: () => undefined });
    two.giveUp();
    await two.done;
    expect([one.bytes().length, two.bytes().length, two.busy()]).toEqual([0, 0, false]);
  });
});
