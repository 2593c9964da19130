/**
 * Packaging. Job: put the bundled programs, the command's wrapper and the native packages beside an Electron
 * whose fuses are flipped. It must not bundle (build/bundle.mjs) nor look for an Electron (build/electron-runtime.mjs).
 * No bundler plugin of Forge: those package only what they built themselves, without native packages.
 */
import { chmod, copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FuseV1Options, FuseVersion } from '@electron/fuses';
import { MakerDeb } from '@electron-forge/maker-deb';
import { MakerZIP } from '@electron-forge/maker-zip';
import { FusesPlugin } from '@electron-forge/plugin-fuses';
import type { ForgeConfig } from '@electron-forge/shared-types';
import { bundle } from './build/bundle.mjs';
import { resolveElectron } from './build/electron-runtime.mjs';
import { isPackaged } from './build/packaged-files.mjs';

/** The packager asks for a zip named after the version of the `electron` package; a stand-in has another one. */
async function standInFolder(): Promise<string | null> {
  const runtime = await resolveElectron();
  console.error(`packaging with ${runtime.says}`);
  if (!runtime.zipFolder) return null;
  const wanted = JSON.parse(await readFile('node_modules/electron/package.json', 'utf8')) as { version: string };
  const name = (version: string) => `electron-v${version}-${process.platform}-${process.arch}.zip`;
  const link = join(runtime.zipFolder, name(wanted.version));
  await rm(link, { force: true });
  await symlink(name(runtime.version), link);
  return runtime.zipFolder;
}

const config: ForgeConfig = {
  packagerConfig: {
    name: 'Sallyport',
    // Lower case, or the Debian package does not find it.
    executableName: 'sallyport',
    appBundleId: 'app.sallyport.Sallyport',
    // A native module cannot be loaded out of an archive.
    asar: { unpack: '**/*.node' },
    ignore: (path) => !isPackaged(path),
    // `ignore` names all that goes in; there is nothing left to prune.
    prune: false,
  },
  // The native packages bring binaries that fit every Node and Electron; nothing is compiled.
  rebuildConfig: { onlyModules: [] },
  makers: [
    new MakerZIP({}, ['linux', 'darwin']),
    new MakerDeb(
      { options: { name: 'sallyport', bin: 'resources/bin/sallyport', productName: 'Sallyport', section: 'devel' } },
      ['linux'],
    ),
  ],
  plugins: [
    new FusesPlugin({
      version: FuseVersion.V1,
      // The program is the gate: it must run our archive and nothing that arguments or the environment name.
      [FuseV1Options.RunAsNode]: false,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
      [FuseV1Options.EnableNodeCliInspectArguments]: false,
      [FuseV1Options.OnlyLoadAppFromAsar]: true,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
      [FuseV1Options.EnableCookieEncryption]: true,
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    }),
  ],
  hooks: {
    prePackage: async (resolved) => {
      await bundle({ release: true });
      // Found here and not while this file is read: other tools read it too, and a runtime may have to be fetched.
      const folder = await standInFolder();
      if (folder) resolved.packagerConfig.electronZipDir = folder;
    },
    // `buildPath` is resources/app, before it becomes the archive.
    packageAfterCopy: async (_config, buildPath) => {
      const bin = join(buildPath, '..', 'bin');
      await mkdir(bin, { recursive: true });
      await copyFile('build/packaged/sallyport.sh', join(bin, 'sallyport'));
      await chmod(join(bin, 'sallyport'), 0o755);
      const file = join(buildPath, 'package.json');
      const full = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
      const kept = ['name', 'productName', 'version', 'description', 'license', 'type', 'main'];
      const slim = Object.fromEntries(kept.map((key) => [key, full[key]]));
      await writeFile(file, JSON.stringify(slim, null, 2));
    },
  },
};

export default config;
