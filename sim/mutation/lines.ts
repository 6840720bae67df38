import { z } from 'zod'

/**
 * The content of `--jsonl`, one value per line, in this order: the request, the sites that each run of the unchanged
 * program reached, and the result of each mutant; with `--tests`, the sites that each file of tests reaches in the
 * unchanged program, and what the tests say of each mutant that no run killed.
 */

const text = z.string()
const count = z.int().min(0)

/** Files with equal heads may continue each other. */
const headSchema = z.strictObject({
  kind: z.literal('head'),
  build: text.describe('SHA-256 of the modules of the program'),
  rooms: z.array(text),
  sites: count.describe('places that can be changed'),
  mutants: z.record(text, count).describe('number of all mutants, by room'),
  sample: count.describe('mutants drawn of each room'),
  seed: text.describe('seed of the random sample'),
  budgetMs: count.describe('CPU time for each mutant, in milliseconds'),
})

export type Head = z.infer<typeof headSchema>

const runSchema = z.strictObject({
  kind: z.literal('run'),
  judge: text.describe('the scenario, or the planted bug'),
  page: text.describe('SHA-256 of the parsed page'),
  seed: count,
  trace: text.nullable().describe('hash of the trace'),
  cpuMs: count,
  isSound: z.boolean().describe('whether the unchanged program does what it should there'),
  reached: text.describe('numbers of the sites that were reached, as ranges'),
  loaded: text.describe('numbers of the sites that were reached while modules were loaded, as ranges'),
})

export type RunLine = z.infer<typeof runSchema>

/** What killed a mutant. */
export const killers = ['law', 'expectation', 'panic', 'crash', 'time', 'self-test'] as const
export type Killer = (typeof killers)[number]

/** The result of a mutant: see `docs/mutation.md`. */
const fates = ['killed', 'unseen', 'same trace', 'not reached'] as const

const mutantSchema = z.strictObject({
  kind: z.literal('mutant'),
  id: text,
  room: text,
  place: text.describe('file:line:column of the source'),
  operator: text,
  before: text,
  after: text,
  isStatic: z.boolean().describe('whether it takes effect when its module is loaded'),
  fate: z.enum(fates),
  killer: z.enum(killers).optional(),
  law: text.optional().describe('code of the invariant that was broken first'),
  judge: text.optional().describe('the scenario or planted bug that killed it'),
  seed: count.optional(),
  message: text.optional(),
  reaching: count.describe('runs of the unchanged program that reach its site'),
  telling: count.describe('of these, the runs in which its change may make a difference'),
  tried: count.describe('runs that were made with it'),
  differed: count.describe('how many of those runs had another trace'),
  judges: z.array(text).describe('the scenarios or planted bugs that were tried'),
  cpuMs: count,
})

export type MutantLine = z.infer<typeof mutantSchema>

const testFileSchema = z.strictObject({
  kind: z.literal('test file'),
  file: text,
  hash: text.describe('SHA-256 of the file'),
  ms: count.describe('real time of its tests'),
  isSound: z.boolean().describe('whether its tests pass with the unchanged program'),
  reached: text.describe('numbers of the sites that it reaches, as ranges'),
})

export type TestFileLine = z.infer<typeof testFileSchema>

const testedSchema = z.strictObject({
  kind: z.literal('tested'),
  id: text,
  fate: z.enum(['killed', 'unseen', 'not reached']),
  test: text.optional().describe('the test that failed'),
  message: text.optional().describe('how it failed'),
  reaching: count.describe('files of tests that reach its site'),
  tried: count.describe('files of tests that were run with it'),
})

/** What the tests say of a mutant that no run killed. */
export type TestedLine = z.infer<typeof testedSchema>

export const lineSchema = z.discriminatedUnion('kind', [
  headSchema,
  runSchema,
  mutantSchema,
  testFileSchema,
  testedSchema,
])
export type Line = z.infer<typeof lineSchema>
