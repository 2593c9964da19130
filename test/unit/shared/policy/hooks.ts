import type { HookDocument } from '../../../../shared/contracts/hook.js';

/** A valid document, with some fields replaced. */
export function hookDocument(fields: Partial<HookDocument> = {}): HookDocument {
  return {
    schema_version: 1,
    id: 'guard',
    name: 'Guard',
    point: 'tool.before',
    scope: 'global',
    mode: 'blocking',
    handler: { kind: 'command', argv: ['/bin/true'] },
    ...fields,
  };
}
