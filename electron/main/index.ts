import { app } from 'electron';
import { runCli } from '../cli/run-cli.js';
app.exit(await runCli(process.argv.slice(2), process));
