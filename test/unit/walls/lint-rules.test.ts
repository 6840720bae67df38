import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlantedTree } from '../../tools/planted.ts'

interface Planted {
  readonly what: string
  readonly code: string
  /** The rule's name, or for the project's own rules a piece of the message that names the replacement. */
  readonly says: string
}

/** Refused in every room but those that are Node's. */
const differsBetweenRuns: readonly Planted[] = [
  { what: 'Date.now', code: 'export const at = () => Date.now()', says: 'noRestrictedGlobals' },
  { what: 'new Date', code: 'export const at = () => new Date()', says: 'noRestrictedGlobals' },
  { what: 'globalThis', code: 'export const at = () => globalThis', says: 'noRestrictedGlobals' },
  { what: 'Intl', code: 'export const at = () => new Intl.Collator()', says: 'noRestrictedGlobals' },
  { what: 'Math.random', code: 'export const at = () => Math.random()', says: 'env.random.draws' },
  { what: 'Math.pow', code: 'export const at = (x: number) => Math.pow(x, 3)', says: 'multiply integers' },
  { what: '**', code: 'export const at = (x: number) => x ** 3', says: 'multiply integers' },
  {
    what: '**=',
    code: 'export function at(x: number): number {\n  let y = x\n  y **= 3\n  return y\n}',
    says: 'multiply integers',
  },
  { what: 'sort()', code: 'export const at = (x: string[]) => x.sort()', says: 'compareText' },
  { what: 'toSorted()', code: 'export const at = (x: readonly string[]) => x.toSorted()', says: 'compareText' },
  { what: 'localeCompare', code: "export const at = (x: string) => x.localeCompare('y')", says: 'compareText' },
  { what: 'toLocaleString', code: 'export const at = (x: number) => x.toLocaleString()', says: 'write the text out' },
  {
    what: 'new Promise',
    code: 'export const at = () => new Promise<void>((resolve) => resolve())',
    says: 'env.deferred()',
  },
  { what: 'Promise.withResolvers', code: 'export const at = () => Promise.withResolvers()', says: 'env.deferred()' },
  {
    what: 'module state',
    code: 'let count = 0\nexport function at(): number {\n  count += 1\n  return count\n}',
    says: 'made for one agent',
  },
  { what: 'console', code: "export const at = () => console.log('x')", says: 'noConsole' },
]

/** Refused everywhere. */
const style: readonly Planted[] = [
  { what: 'any', code: 'export const at = (x: any) => x', says: 'noExplicitAny' },
  { what: 'a default export', code: 'export default 1', says: 'noDefaultExport' },
  { what: 'an enum', code: 'export enum At {\n  A,\n}', says: 'noEnum' },
  { what: 'a barrel', code: "export * from './other.ts'", says: 'noReExportAll' },
  { what: 'an unused variable', code: 'export function at(): void {\n  const x = 1\n}', says: 'noUnusedVariables' },
  {
    what: 'an assigned parameter',
    code: 'export function at(x: number): void {\n  x = 1\n}',
    says: 'noParameterAssign',
  },
  {
    what: 'a promise that nobody awaits',
    code: 'async function work(): Promise<void> {\n  await null\n}\nexport function at(): void {\n  work()\n}',
    says: 'noFloatingPromises',
  },
  {
    what: 'a promise as a condition',
    code: 'async function work(): Promise<void> {\n  await null\n}\nexport function at(): number {\n  if (work()) return 1\n  return 2\n}',
    says: 'noMisusedPromises',
  },
  {
    what: 'a function of 61 lines',
    code: `export function at(): number[] {\n  const x: number[] = []\n${'  x.push(1)\n'.repeat(60)}  return x\n}`,
    says: 'noExcessiveLinesPerFunction',
  },
  {
    what: 'a file of 401 lines',
    code: Array.from({ length: 401 }, (_, n) => `export const at${n} = ${n}`).join('\n'),
    says: 'noExcessiveLinesPerFile',
  },
]

/** Refused wherever agents or simulations run, but for the edges where texts of others are read. */
const textsDecided: readonly Planted[] = [
  { what: 'the start of a message', code: 'message.startsWith(line)' },
  { what: 'a part of a message', code: 'failure.message.includes(line)' },
  { what: 'the text of an error that is one', code: 'result.error.endsWith(line)' },
  { what: 'a pattern over a message', code: '/expired/.test(failure.message)' },
  { what: 'a pattern over a line for people', code: '/expired/.exec(failureText(failure))' },
  { what: 'an exact message', code: 'failure.message === line' },
  { what: 'another than an exact message', code: 'line !== result.error.message' },
].map(({ what, code }) => ({ what, code: `export const at = () => ${code}`, says: 'give it a kind' }))
const edgesOfTexts = ['src/host/net-failures.ts', 'src/rpc/failure-codec.ts']

const pureRooms = ['src/raft/core', 'src/features/kv', 'src/base', 'sim/env', 'sim/checkers']
const nodeRooms = ['src/host', 'src/native', 'sim/platform', 'test/unit', 'bench']

const innocent = [
  "import { lower } from './lower.ts'",
  '',
  'export const at = async (x: string[]): Promise<string[]> => {',
  '  await lower()',
  "  return x.sort((a, b) => (a < b ? -1 : 1)).concat(String(1 + 2 * 3), '**=')",
  '}',
]

function numbered(list: readonly Planted[]): readonly (Planted & { readonly index: number })[] {
  return list.map((planted, index) => ({ ...planted, index }))
}

interface Diagnostic {
  readonly file: string
  readonly text: string
}

function diagnosticsOf(output: string): readonly Diagnostic[] {
  const lines = output.matchAll(/^::(?:error|warning) title=([^,]*),file=([^,]*),[^:]*::(.*)$/gm)
  return [...lines].map(([, title, file, message]) => ({ file: file ?? '', text: `${title} ${message}` }))
}

describe('the lint rules', () => {
  const tree = new PlantedTree().copy(
    'biome.json',
    '.gitignore',
    'test/tools/lint/determinism.grit',
    'test/tools/lint/failure-texts.grit',
    'test/tools/lint/promises.grit',
    'test/tools/lint/module-state.grit',
  )
  let found: readonly Diagnostic[]

  const messagesOn = (file: string) =>
    found.filter((diagnostic) => diagnostic.file.endsWith(`/${file}`)).map(({ text }) => text)

  beforeAll(() => {
    for (const room of [...pureRooms, ...nodeRooms]) {
      for (const [index, { code }] of differsBetweenRuns.entries()) tree.plant(`${room}/run-${index}.ts`, code)
      tree.plant(`${room}/innocent.ts`, ...innocent)
      tree.plant(`${room}/lower.ts`, 'export async function lower(): Promise<void> {', '  await null', '}')
    }
    for (const [index, { code }] of textsDecided.entries()) {
      for (const room of [...pureRooms, ...nodeRooms]) tree.plant(`${room}/text-${index}.ts`, code)
    }
    for (const edge of edgesOfTexts) tree.plant(edge, textsDecided[0]?.code ?? '')
    for (const [index, { code }] of style.entries()) tree.plant(`src/base/style-${index}.ts`, code)
    tree.plant('src/base/other.ts', 'export const other = 1')
    tree.plant('src/base/badName.ts', 'export const bad = 1')
    tree.plant('src/base/ring-a.ts', "import { b } from './ring-b.ts'", '', 'export const a = () => b')
    tree.plant('src/base/ring-b.ts', "import { a } from './ring-a.ts'", '', 'export const b = () => a')
    tree.plant('src/base/shape.ts', 'export const shape = { "a": 1 };')
    const ran = tree.run('@biomejs/biome/bin/biome', 'ci', '--reporter=github', '--max-diagnostics=none', '.')
    found = diagnosticsOf(ran.output)
  })

  afterAll(() => tree.remove())

  for (const room of pureRooms) {
    it.each(numbered(differsBetweenRuns))(`refuse $what in ${room}`, ({ index, says }) => {
      expect(messagesOn(`${room}/run-${index}.ts`)).toContainEqual(expect.stringContaining(says))
    })
  }

  it.each(nodeRooms)('allow in %s what only Node can do', (room) => {
    for (const [index, { what, says }] of differsBetweenRuns.entries()) {
      expect(messagesOn(`${room}/run-${index}.ts`), what).not.toContainEqual(expect.stringContaining(says))
    }
  })

  it.each([...pureRooms, ...nodeRooms])('accept a sound file in %s', (room) => {
    expect(messagesOn(`${room}/innocent.ts`)).toEqual([])
  })

  it.each(numbered(textsDecided))('refuse to decide by $what', ({ index, says }) => {
    for (const room of [...pureRooms, 'src/host', 'sim/platform']) {
      expect(messagesOn(`${room}/text-${index}.ts`), room).toContainEqual(expect.stringContaining(says))
    }
    for (const file of [`test/unit/text-${index}.ts`, `bench/text-${index}.ts`, ...edgesOfTexts]) {
      expect(messagesOn(file), file).not.toContainEqual(expect.stringContaining(says))
    }
  })

  it.each(numbered(style))('refuse $what', ({ index, says }) => {
    expect(messagesOn(`src/base/style-${index}.ts`)).toContainEqual(expect.stringContaining(says))
  })

  it('refuse a file name that is not in kebab case', () => {
    expect(messagesOn('src/base/badName.ts')).toContainEqual(expect.stringContaining('useFilenamingConvention'))
  })

  it('refuse files that import each other', () => {
    expect(messagesOn('src/base/ring-a.ts')).toContainEqual(expect.stringContaining('noImportCycles'))
  })

  it('refuse a file that the formatter would change', () => {
    expect(messagesOn('src/base/shape.ts')).toContainEqual(expect.stringContaining('format'))
  })
})
