/** The parts of the signed store that touch nothing: keys, the chain, what is shown, what the keychain's words mean. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keychainError, meaningOf } from '../../../electron/core/approvals/keychain-states.js';
import { createMemoryApprovals } from '../../../electron/core/approvals/memory-store.js';
import { diffSubjects, shownContent } from '../../../electron/core/approvals/shown.js';
import { newSigningKey, readSigningKey, verifier } from '../../../electron/core/approvals/signing-key.js';
import {
  chainBeginning,
  checkFile,
  emptyFile,
  endOf,
  extend,
  fileText,
  passesThrough,
  type StoreFile,
} from '../../../electron/core/approvals/store-file.js';
import type { Json } from '../../../shared/json.js';
import { hookOf, voice } from '../../support/subjects.js';

const { key, secret } = newSigningKey();
const STATE = 'state_unit';

function fileWith(...names: string[]): StoreFile {
  return names.reduce(
    (file, name) => {
      const { kind, key: subjectKey, digest, title, content } = hookOf([name]);
      return extend(file, { act: 'approve', kind, key: subjectKey, digest, title, shown: content, ...voice }, key);
    },
    emptyFile(STATE, chainBeginning(STATE), key),
  );
}

describe('the key', () => {
  it('comes back out of its text and signs what its public half holds for', () => {
    const read = readSigningKey(secret);
    if (!read.ok) throw new Error(read.error);
    expect(read.value.publicKey).toBe(key.publicKey);
    const signature = read.value.sign({ a: 1 });
    const holds = verifier(key.publicKey);
    expect([holds({ a: 1 }, signature), holds({ a: 2 }, signature), holds({ a: 1 }, '')]).toEqual([true, false, false]);
    expect(verifier(newSigningKey().key.publicKey)({ a: 1 }, signature)).toBe(false);
    expect(verifier('no key')({ a: 1 }, signature)).toBe(false);
  });

  it.each(['', 'AAAA', key.publicKey])('is not made of %j, and the error does not repeat it', (text) => {
    const read = readSigningKey(text);
    expect(read.ok ? 'a key' : read.error).toMatch(/^it is no /);
  });

  it('signs nothing without a canonical form', () => {
    expect(() => key.sign({ text: '\ud800' })).toThrow('no canonical form');
  });
});

describe('the chain', () => {
  const file = fileWith('a', 'b', 'c');

  it('checks out as it was written, and passes through each of its places alone', () => {
    const read = checkFile(fileText(file), STATE, key.publicKey);
    expect(read).toEqual({ ok: true, value: file });
    for (const names of [[], ['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      const shorter = fileWith(...names);
      expect(passesThrough(file, { n: names.length, head: endOf(file).head })).toBe(names.length === 3);
      expect(passesThrough(shorter, endOf(shorter))).toBe(true);
    }
    expect(passesThrough(file, endOf(fileWith('a', 'x')))).toBe(false);
    expect(passesThrough(file, { n: 4, head: endOf(file).head })).toBe(false);
  });

  it('does not check out after any one value in it is another', () => {
    const paths: (string | number)[][] = [];
    const walk = (value: unknown, path: (string | number)[]) => {
      if (Array.isArray(value)) value.forEach((item, at) => walk(item, [...path, at]));
      else if (typeof value === 'object' && value !== null)
        for (const [name, item] of Object.entries(value)) walk(item, [...path, name]);
      else paths.push(path);
    };
    walk(file, []);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, other) => {
        const copy = structuredClone(file) as unknown as Json;
        let at = copy as Record<string, Json>;
        for (const name of path.slice(0, -1)) at = at[name] as Record<string, Json>;
        const last = path.at(-1) ?? '';
        fc.pre(JSON.stringify(at[last]) !== JSON.stringify(other));
        at[last] = other as Json;
        return !checkFile(JSON.stringify(copy), STATE, key.publicKey).ok;
      }),
      { numRuns: 300 },
    );
  });

  it('does not check out in any other order or choice of its records', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 5 }), (order) => {
        fc.pre(order.join() !== '0,1,2');
        const records = order.flatMap((at) => file.records[at] ?? []);
        return !checkFile(JSON.stringify({ ...file, records }), STATE, key.publicKey).ok;
      }),
    );
  });

  it('belongs to one state folder and one key', () => {
    const text = fileText(file);
    expect(checkFile(text, 'state_other', key.publicKey).ok).toBe(false);
    expect(checkFile(text, STATE, newSigningKey().key.publicKey).ok).toBe(false);
  });
});

describe('what is shown again', () => {
  const before = hookOf(['sh', 'guard.sh'], 'global::guard', { TOKEN: 'one-secret' });

  it('has no value of a variable, but tells another one apart', () => {
    const kept = shownContent(before);
    expect(JSON.stringify(kept)).not.toContain('one-secret');
    const after = hookOf(['sh', 'guard.sh'], 'global::guard', { TOKEN: 'two-secret' });
    const changed = diffSubjects(kept, after).filter((line) => line.side !== 'same');
    expect(changed.map((line) => line.side)).toEqual(['old', 'new']);
    expect(JSON.stringify(changed)).not.toContain('two-secret');
  });

  it('names each line that is another, and none where nothing is', () => {
    expect(diffSubjects(shownContent(before), before).every((line) => line.side === 'same')).toBe(true);
    const after = hookOf(['sh', '-e', 'guard.sh'], 'global::guard', { TOKEN: 'one-secret' });
    const changed = diffSubjects(shownContent(before), after).filter((line) => line.side !== 'same');
    expect(changed).toEqual([{ side: 'new', text: '      "-e",' }]);
  });

  it('shows both wholly where they have too little in common', () => {
    const many = (word: string) => hookOf(Array.from({ length: 2_000 }, (_, at) => `${word}${at}`));
    const lines = diffSubjects(shownContent(many('a')), many('b'));
    expect(lines.some((line) => line.side === 'same')).toBe(false);
    expect(lines.filter((line) => line.side === 'new').length).toBeGreaterThan(2_000);
  });

  it('comes from the memory store as well', async () => {
    const store = createMemoryApprovals();
    expect(store.lastShown(before.kind, before.key)).toBeNull();
    await store.approve(before, before.digest, voice);
    expect(store.lastShown(before.kind, before.key)).toEqual(shownContent(before));
    expect(store.status().state).toBe('memory');
    await store.refresh();
    expect(store.covers(before)).toBe(true);
  });
});

describe("the keychain's own words", () => {
  it.each([
    // As measured with gnome-keyring 42.1 and libsecret 0.20.5.
    ['Cannot autolaunch D-Bus without X11 $DISPLAY', 'no-bus'],
    ['Could not connect: No such file or directory', 'no-bus'],
    ['The name org.freedesktop.secrets was not provided by any .service files', 'no-service'],
    ['Object does not exist at path “/org/freedesktop/secrets/collection/login”', 'locked'],
    ['Cannot create an item in a locked collection', 'locked'],
    ['Failed to load keytar native addon, checked ["../build/Release"]', 'no-service'],
    ['Timeout was reached', 'hanging'],
    ['something else', 'refused'],
  ])('%s -> %s', (message, state) => {
    const meant = meaningOf(message);
    expect(meant.state).toBe(state);
    expect(meant.text.length).toBeGreaterThan(40);
  });

  it('are passed on where they are not known', () => {
    expect(meaningOf('out of ink').text).toContain('out of ink');
    expect(keychainError('hanging').text).toContain('in time');
    expect(keychainError('refused').text).not.toContain('()');
  });
});
