import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { corpusOf, keepFinding } from './corpus.ts'
import { type Found, type FuzzEnd, fuzz } from './fuzzer.ts'
import { Judge } from './judge.ts'
import type { FuzzTarget } from './target.ts'

const usage = `Usage: npm run fuzz -- <target>... [options]

Mutates inputs of decoders, guided by the ways they take through the program. All targets: \`all\`.

  --inputs <n>    inputs for each target (default: 100000)
  --seed <n>      equal seeds give equal runs (default: 1)
  --findings <n>  stop a target at so many different findings (default: 10)
  --input <file>  run this one input and say what it costs
  --list          list the targets

A finding is an exception, or an input that costs more steps, CPU time or memory than its target allows. It is made
as short as possible and written to .cache/fuzz. Exit codes: 0 nothing found, 1 something was, 2 bad usage.
`

const options = {
  inputs: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  findings: { type: 'string', default: '10' },
  input: { type: 'string' },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Those in which flaws were planted load in no time; `all` are those of the program. */
async function knownTargets(names: readonly string[]): Promise<readonly FuzzTarget[]> {
  if (names.length > 0 && names.every((name) => name.startsWith('planted-'))) {
    return (await import('../../fuzz/planted/targets.ts')).plantedTargets
  }
  return (await import('../../fuzz/targets.ts')).targets
}

const out = (text: string): void => void process.stdout.write(text)

export async function runFuzzCli(argv: readonly string[]): Promise<number> {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(argv)
  } catch (cause) {
    return refused((cause as Error).message)
  }
  const { values, positionals } = parsed
  if (values.help) return told(usage)
  if (values.list)
    return told((await knownTargets([])).map(({ name, about }) => `${name.padEnd(16)} ${about}\n`).join(''))
  const [inputs, seed, findingsMax] = [values.inputs, values.seed, values.findings].map(Number) as [
    number,
    number,
    number,
  ]
  if (![inputs, seed, findingsMax].every((value) => Number.isSafeInteger(value) && value >= 0))
    return refused('--inputs, --seed and --findings take whole numbers')
  if (positionals.length === 0) return refused('Name a target, or all.')
  const known = await knownTargets(positionals)
  const chosen = positionals.includes('all') ? known : known.filter(({ name }) => positionals.includes(name))
  const unknown = positionals.find((name) => name !== 'all' && !known.some((target) => target.name === name))
  if (unknown !== undefined) return refused(`There is no target ${unknown}.`)
  if (values.input !== undefined) return repeat(chosen, values.input)
  let isSound = true
  for (const target of chosen) isSound = (await runTarget(target, { inputs, seed, findingsMax })) && isSound
  return isSound ? 0 : 1
}

function parse(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options, allowPositionals: true })
}

interface Wanted {
  readonly inputs: number
  readonly seed: number
  readonly findingsMax: number
}

async function runTarget(target: FuzzTarget, wanted: Wanted): Promise<boolean> {
  const beganMs = performance.now()
  const onFound = (found: Found): void => tellFinding(target, found)
  const line = (told: Pick<FuzzEnd, 'inputs' | 'places' | 'corpus' | 'stepsMax'>): string => {
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1)
    const { inputs, places, corpus, stepsMax } = told
    return `${inputs} inputs, ${places} places, ${corpus} kept, at most ${stepsMax} steps, ${seconds} s`
  }
  const onProgress = (told: Parameters<typeof line>[0]): void =>
    void process.stderr.write(`${target.name}: ${line(told)}\n`)
  const end = await fuzz({ target, ...wanted, corpus: corpusOf(target.name), onFound, onProgress })
  const verdict = end.findings === 0 ? 'nothing found' : `${end.findings} FOUND`
  out(`${target.name}: ${verdict}, seed ${wanted.seed}: ${line(end)}\n`)
  return end.findings === 0
}

function tellFinding({ name }: FuzzTarget, { kind, text, input }: Found): void {
  const file = relative(process.cwd(), keepFinding(name, kind, input))
  out(`${name}: ${kind}, ${input.length} bytes: ${text}\n  repeat with: npm run fuzz -- ${name} --input ${file}\n`)
}

async function repeat(chosen: readonly FuzzTarget[], file: string): Promise<number> {
  const input = new Uint8Array(readFileSync(file))
  let isSound = true
  for (const target of chosen) {
    const { steps, finding } = await new Judge(target).judge(input)
    out(
      `${target.name}: ${input.length} bytes, ${steps} steps: ${finding === undefined ? 'fine' : `${finding.kind}: ${finding.text}`}\n`,
    )
    isSound = finding === undefined && isSound
  }
  return isSound ? 0 : 1
}

function told(text: string): number {
  out(text)
  return 0
}

function refused(why: string): number {
  process.stderr.write(`${why}\n${usage}`)
  return 2
}
