/**
 * The app's main program: the composition root, to be read as a list. Job: decide between the command and the window.
 * It must not hold any rule of the product, and loads no window code when a command is to be run.
 */
import { commandArguments, hasStrayCommand } from './command-line.js';
import { runHeadless } from './headless.js';

const args = commandArguments(process.argv);

if (args !== null && args.length > 0) {
  await runHeadless(args);
} else if (hasStrayCommand(process.argv, process.execPath)) {
  process.stderr.write(
    'sallyport: this program takes no command by itself, since Chromium would read its options.\n' +
      'Nothing was done, and nothing was allowed. Use the command resources/bin/sallyport beside it.\n',
  );
  process.exit(2);
} else {
  // Electron is not ready before this file has been read to its end, so what must come before that may be loaded here.
  const { startApp } = await import('./app.js');
  startApp();
}
