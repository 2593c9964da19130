/**
 * Lint rule: a door has one keeper. Job: keep each dangerous module to the files that may import it,
 * however it is imported (static, re-exported, dynamic, by require or by getBuiltinModule).
 * It must not judge anything but module names and file paths.
 */
import { relative, sep } from 'node:path';

/** Each door: what may pass, who keeps it, and where to go instead. Paths are from the root, with `/`. */
export const DOORS = [
  {
    modules: /^(?:(?:node:)?child_process|execa|cross-spawn)$/,
    // The practice agent is an agent: it starts its tools itself, on the other side of the gate.
    keepers: /^electron\/(?:core\/spawn|practice)\//,
    // A type starts nothing.
    types: true,
    instead: 'processes are started by electron/core/spawn',
  },
  {
    modules: /^electron(?:\/.*)?$/,
    keepers: /^electron\/(?:main|preload)\//,
    types: false,
    instead: 'only electron/main and electron/preload know Electron',
  },
  {
    modules: /^keytar$/,
    // Not the core: a call may hang for ever and take its whole process with it, so it has one of its own.
    keepers: /^electron\/keychain\/run-helper\.ts$/,
    types: false,
    instead: 'the keychain is reached by electron/core/approvals/keychain.ts',
  },
  {
    modules: /^(?:libsql(?:\/.*)?|node:sqlite)$/,
    keepers: /^electron\/core\/store\/index-worker\.ts$/,
    types: true,
    instead: 'the index is opened by electron/core/store/index-worker.ts, in its worker',
  },
];

/** `shared/` runs in a page, in Node and in tests, so it may import nothing of a platform. */
const PURE = /^shared\//;
const PLATFORM =
  /^node:|^(?:fs|path|os|crypto|url|util|stream|http|https|net|events|child_process|worker_threads)(?:\/|$)/;

function refusal(path, module, typeOnly) {
  if (PURE.test(path) && PLATFORM.test(module)) return 'shared/ is pure: no module of Node';
  const door = DOORS.find((candidate) => candidate.modules.test(module));
  if (!door || door.keepers.test(path) || (typeOnly && door.types)) return undefined;
  return door.instead;
}

export const doors = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { closed: "'{{module}}' may not be imported here: {{why}}." },
  },
  create(context) {
    const path = relative(context.cwd, context.filename).split(sep).join('/');
    const check = (source, typeOnly) => {
      if (typeof source?.value !== 'string') return;
      const why = refusal(path, source.value, typeOnly);
      if (why) context.report({ node: source, messageId: 'closed', data: { module: source.value, why } });
    };
    const isTypeOnly = (node) =>
      node.importKind === 'type' ||
      node.exportKind === 'type' ||
      (node.specifiers?.length > 0 && node.specifiers.every((specifier) => specifier.importKind === 'type'));
    return {
      ImportDeclaration: (node) => check(node.source, isTypeOnly(node)),
      ExportNamedDeclaration: (node) => check(node.source, isTypeOnly(node)),
      ExportAllDeclaration: (node) => check(node.source, isTypeOnly(node)),
      ImportExpression: (node) => check(node.source, false),
      CallExpression(node) {
        const callee = node.callee.type === 'MemberExpression' ? node.callee.property : node.callee;
        if (['require', 'getBuiltinModule', 'resolve'].includes(callee.name)) check(node.arguments[0], false);
      },
    };
  },
};
