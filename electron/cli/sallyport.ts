#!/usr/bin/env node
/** The `sallyport` program on plain Node. Job: hand this process to the command. It must not know any command. */
import { runCli } from './run-cli.js';
import { rememberTerminals } from './terminal/hung-up.js';

const leaveClosedTerminals = rememberTerminals();
process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
});
leaveClosedTerminals();
