import { ok } from '../../../shared/result.js';
import type { Keychain } from './keychain.js';

/** A keychain that forgets with the process: for where no system keychain may be touched. */
export function createMemoryKeychain(values = new Map<string, string>()): Keychain {
  return {
    get: async (name) => ok(values.get(name) ?? null),
    set: async (name, value) => {
      values.set(name, value);
      return ok(undefined);
    },
    delete: async (name) => {
      values.delete(name);
      return ok(undefined);
    },
    close: async () => undefined,
  };
}
