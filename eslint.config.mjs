/**
 * Lint. Product code is checked with types and strictly; tests and build scripts with fewer rules.
 * The doors and the agents' names are rules of our own in build/lint; layout of imports is dependency-cruiser's.
 */
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { agentNames } from './build/lint/agent-names.mjs';
import { doors } from './build/lint/doors.mjs';

const PRODUCT = ['electron/**/*.{ts,tsx}', 'shared/**/*.ts', 'renderer/**/*.{ts,tsx}'];
const TESTS = ['test/**/*.ts', 'bench/**/*.ts'];
const SCRIPTS = ['build/**/*.mjs', 'test/**/*.mjs', 'bench/**/*.mjs', '*.mjs'];
const CONFIGS = ['*.config.{ts,mjs}', '.*.mjs'];

const NODE_GLOBALS = Object.fromEntries(
  [
    ...['process', 'console', 'Buffer', 'URL', 'performance', 'fetch', 'AbortController', 'AbortSignal'],
    ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'TextDecoder', 'TextEncoder'],
    ...['structuredClone', 'queueMicrotask'],
  ].map((name) => [name, 'readonly']),
);

const NO_DEFAULT_EXPORT = {
  restrictDefaultExports: { direct: true, named: true, defaultFrom: true, namedFrom: true, namespaceFrom: true },
};

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'coverage/', '.cache/', 'test/fixtures/', 'node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { plugins: { sallyport: { rules: { doors, 'agent-names': agentNames } } } },
  {
    files: PRODUCT,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'sallyport/doors': 'error',
      'no-restricted-exports': ['error', NO_DEFAULT_EXPORT],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ClassDeclaration:not([superClass.name=/Error$/])',
          message: 'Use functions and a type; only an error may be a class.',
        },
        {
          selector:
            ':matches(ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration)[source.value=/^[.].*(?<![.](js|json|css))$/]',
          message: 'Import paths end in .js.',
        },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-eval': 'error',
      'no-new-func': 'error',
      'prefer-const': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // It takes a variable that a callback sets for one that never changes, and asks to drop checks that are needed.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // A function of an asynchronous interface may have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: PRODUCT,
    ignores: ['electron/core/agents/**', 'shared/contracts/**'],
    rules: { 'sallyport/agent-names': 'error' },
  },
  {
    files: TESTS,
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // What makes a test unable to fail, and what makes it lie about types.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-exports': ['error', NO_DEFAULT_EXPORT],
      'no-restricted-properties': [
        'error',
        ...['it', 'test', 'describe'].flatMap((object) => [
          { object, property: 'only', message: 'The others would not run.' },
          { object, property: 'skip', message: 'A skip must be counted: use context.skip with a reason.' },
        ]),
      ],
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: SCRIPTS,
    extends: [js.configs.recommended],
    languageOptions: { globals: NODE_GLOBALS },
    rules: { eqeqeq: 'error', 'prefer-const': 'error', 'no-restricted-exports': ['error', NO_DEFAULT_EXPORT] },
  },
  { files: ['*.ts'], languageOptions: { parser: tseslint.parser } },
  // Tools take their configuration from a default export; vitest its global set-up too.
  { files: [...CONFIGS, 'test/**/global-setup.ts'], rules: { 'no-restricted-exports': 'off' } },
);
