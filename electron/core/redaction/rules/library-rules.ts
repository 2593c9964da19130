/**
 * The rules of secretlint, each loaded by itself and called directly. Never its preset nor its engine: those
 * obey `secretlint-disable` comments in the text that is looked at, and what is looked at here is hostile.
 * None of them uses the network. Left out: the one that needs a native module, those that judge file names
 * or home folders, and the binary form of one vendor's keys, for which a rule would open files itself.
 */
import { creator as onePassword } from '@secretlint/secretlint-rule-1password';
import { creator as anthropic } from '@secretlint/secretlint-rule-anthropic';
import { creator as aws } from '@secretlint/secretlint-rule-aws';
import { creator as basicAuth } from '@secretlint/secretlint-rule-basicauth';
import { creator as connectionString } from '@secretlint/secretlint-rule-database-connection-string';
import { creator as databricks } from '@secretlint/secretlint-rule-databricks';
import { creator as docker } from '@secretlint/secretlint-rule-docker';
import { creator as figma } from '@secretlint/secretlint-rule-figma';
import { creator as gcp } from '@secretlint/secretlint-rule-gcp';
import { creator as github } from '@secretlint/secretlint-rule-github';
import { creator as gitlab } from '@secretlint/secretlint-rule-gitlab';
import { creator as grafana } from '@secretlint/secretlint-rule-grafana';
import { creator as vault } from '@secretlint/secretlint-rule-hashicorp-vault';
import { creator as linear } from '@secretlint/secretlint-rule-linear';
import { creator as npm } from '@secretlint/secretlint-rule-npm';
import { creator as openai } from '@secretlint/secretlint-rule-openai';
import { creator as privateKey } from '@secretlint/secretlint-rule-privatekey';
import { creator as sendgrid } from '@secretlint/secretlint-rule-sendgrid';
import { creator as slack } from '@secretlint/secretlint-rule-slack';
import { isNobodysHost } from './own-rules.js';
import { NO_PLACE, type Hit, type Rule, type TextPlace } from './rule.js';

/** What of a rule's interface is used; the library's own types ask for its whole engine. */
interface LibraryRule {
  readonly meta: { readonly type: string };
  readonly create: (context: object, options: object) => { file?: (source: object) => unknown };
}

interface Loaded {
  readonly name: string;
  readonly rule: unknown;
  readonly keywords: readonly string[];
  /** True for what has the form but was found to be none in real projects. */
  readonly innocent?: (found: string) => boolean;
}

const LIBRARY: readonly Loaded[] = [
  { name: '1password', rule: onePassword, keywords: ['ops_ey'] },
  { name: 'anthropic', rule: anthropic, keywords: ['sk-ant-api0'] },
  { name: 'aws', rule: aws, keywords: ['secret'] },
  {
    name: 'basicauth',
    rule: basicAuth,
    keywords: ['http://', 'https://', 'ftp://', 'ftps://'],
    innocent: isNobodysHost,
  },
  {
    name: 'connection-string',
    rule: connectionString,
    keywords: ['mongodb', 'mysql', 'postgres'],
    innocent: isNobodysHost,
  },
  { name: 'databricks', rule: databricks, keywords: ['dapi'] },
  { name: 'docker', rule: docker, keywords: ['dckr_pat_'] },
  { name: 'figma', rule: figma, keywords: ['figd_'] },
  { name: 'gcp', rule: gcp, keywords: ['private_key_id'] },
  { name: 'github', rule: github, keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'] },
  { name: 'gitlab', rule: gitlab, keywords: ['glpat-'] },
  { name: 'grafana', rule: grafana, keywords: ['glc_', 'glsa_'] },
  { name: 'hashicorp-vault', rule: vault, keywords: ['hvs.', 'hvb.', 'hvr.'] },
  { name: 'linear', rule: linear, keywords: ['lin_api_'] },
  {
    name: 'npm',
    rule: npm,
    keywords: ['x-oauth-basic', '_authtoken=', 'npm_'],
    // A token has letters and digits only; names of messages and variables have more of these.
    innocent: (found) => /^npm_.*_/.test(found),
  },
  { name: 'openai', rule: openai, keywords: ['sk-'] },
  { name: 'privatekey', rule: privateKey, keywords: ['private key'] },
  { name: 'sendgrid', rule: sendgrid, keywords: ['sg.'] },
  { name: 'slack', rule: slack, keywords: ['xox', 'xapp', 'hooks.slack.com'] },
];

function ruleOf({ name, rule, keywords, innocent }: Loaded): Rule {
  const library = rule as LibraryRule;
  if (library.meta.type !== 'scanner') throw new Error(`${name} is no single rule of secretlint`);
  return {
    id: `secretlint-${name}`,
    keywords,
    find: (text, place) => {
      const hits: Hit[] = [];
      const context = {
        // The words of a report hold the secret, so they are never made.
        createTranslator: () => () => ({ message: '', messageId: '', data: {} }),
        report: ({ range: [start, end] }: { range: readonly [number, number] }) => {
          if (innocent?.(text.slice(start, end)) !== true) hits.push({ start, end });
        },
        ignore: () => undefined,
      };
      void library.create(context, {}).file?.({ content: text, contentType: 'text', ...sourceOf(place) });
      return hits;
    },
  };
}

/** The rules see a name, never a path that they could open. */
function sourceOf({ ext, name }: TextPlace = NO_PLACE): object {
  return { ext: ext === '.json' ? ext : '', filePath: ext === '.p12' ? '' : name };
}

export const LIBRARY_RULES: readonly Rule[] = LIBRARY.map(ruleOf);

/** Version of the library, as this app pins it. */
export const LIBRARY_VERSION = '12.0.0';
