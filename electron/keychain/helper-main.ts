#!/usr/bin/env node
/** The keychain helper on plain Node: a process of its own, since a call of the keychain may hang for ever. */
import { runKeychainHelper } from './run-helper.js';

await runKeychainHelper();
