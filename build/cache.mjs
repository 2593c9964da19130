/**
 * Where downloaded programs are kept. Job: one answer to "which folder", for every script and test.
 * It must not delete what others keep there.
 */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The cache folder, made if need be: `SALLYPORT_CACHE`, else `sallyport` in the user's cache folder,
 * else `.cache` in the repository where the home folder cannot be written.
 * @returns {string} an absolute path
 */
export function cacheFolder(env = process.env) {
  if (env.SALLYPORT_CACHE) {
    mkdirSync(env.SALLYPORT_CACHE, { recursive: true });
    return env.SALLYPORT_CACHE;
  }
  const ofUser = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sallyport');
  try {
    mkdirSync(ofUser, { recursive: true });
    accessSync(ofUser, constants.W_OK);
    return ofUser;
  } catch {
    const ofRepository = join(ROOT, '.cache');
    mkdirSync(ofRepository, { recursive: true });
    return ofRepository;
  }
}
