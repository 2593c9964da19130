/**
 * Lint rule: an agent's name is known to its adapter alone. Job: find the names written out as text elsewhere,
 * where they would grow into "if it is that agent" instead of a capability.
 * It must not look at comments or at longer texts that merely contain a name.
 */
const NAMES = new Set(['claude-code', 'claude', 'codex', 'copilot']);

export const agentNames = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      named: "'{{name}}' is an agent's name: ask the adapter for a capability, or move this into electron/core/agents.",
    },
  },
  create(context) {
    const check = (node, name) => {
      if (NAMES.has(name)) context.report({ node, messageId: 'named', data: { name } });
    };
    const key = (node) => {
      if (!node.computed && node.key.type === 'Identifier') check(node.key, node.key.name);
    };
    return {
      Literal: (node) => check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked),
      Property: (node) => {
        // `{ codex } = …` names a variable, not a key of ours, but it selects by name all the same.
        key(node);
      },
      TSPropertySignature: key,
    };
  },
};
