import { createHash } from 'node:crypto'
import type { Manifest } from '../../../sim/campaign/manifest.ts'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { type SeedRecord, type SeedVerdict, withoutRun } from '../../../sim/report/seed-record.ts'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { done, err, ok } from '../../../src/base/result.ts'

/** Files of campaigns as tests write them, and what `svc-sim merge` says of them. */

const build = 'b'.repeat(64)
export const pages = { A: 'a'.repeat(64), B: 'c'.repeat(64) } as const

export function manifestOf(more: Partial<Manifest> = {}): Manifest {
  return {
    format: 'svc-campaign',
    version: 1,
    program: '1.4.0',
    build,
    scenarios: [
      { scenario: 'A', file: 'a.yaml', page: pages.A },
      { scenario: 'B', file: 'b.yaml', page: pages.B },
    ],
    seeds: { first: 1, last: 12 },
    shard: { index: 1, of: 1 },
    flags: { verify: false, demands: true },
    ...more,
  }
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}

/** A record whose run is made of its seed, and `salt` if a seed shall have another one. */
export function recordOf(of: 'A' | 'B', seed: number, verdict: SeedVerdict = 'passed', salt = ''): SeedRecord {
  const file = `${of.toLowerCase()}.yaml`
  const cost = { wallMs: 1, cpuMs: 10 }
  const bare = withoutRun({ scenario: of, file, page: pages[of], seed }, verdict, [], cost)
  if (['stuck', 'died', 'out of memory'].includes(verdict)) return { ...bare, build, notes: [`ended at ${seed}`] }
  const trace = createHash('sha256').update(`${of} ${seed} ${salt}`).digest('hex')
  const failure = { atUs: 7, place: `${file}:${8 + (seed % 2)}:5`, message: `s${seed} still runs after ${seed}.5 s` }
  const failures = verdict === 'failed' ? [failure] : []
  const marks = seed % 3 === 0 ? ['tail cut'] : []
  return { ...bare, build, trace, failures, marks, counts: { R1: { facts: seed } } }
}

export function textOfCampaign(manifest: Manifest, records: readonly SeedRecord[]): string {
  return [manifest, ...records].map((line) => `${JSON.stringify(line)}\n`).join('')
}

export interface Said {
  readonly exit: number
  readonly out: string
  readonly error: string
  /** What `--junit` wrote. */
  readonly junit?: string
}

/** What `svc-sim merge` says of these files, given in this order. */
export async function merged(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Said> {
  const said = { out: '', error: '' }
  let junit: string | undefined
  const terminal: Partial<SimTerminal> = {
    disk: fileAlone((text) => {
      junit = `${junit ?? ''}${text}`
    }),
    out: (more) => {
      said.out += more
    },
    error: (more) => {
      said.error += more
    },
    createPlatform: () => ({ sha256, close: () => undefined }) as unknown as ReturnType<SimTerminal['createPlatform']>,
    readPieces: async (file, take) => {
      const text = files[file]
      if (text === undefined) return err({ kind: 'not-found', message: '' })
      const bytes = utf8(text)
      for (let at = 0; at < bytes.length; at += 997) if (!(await take(bytes.slice(at, at + 997)))) break
      return done
    },
    version: '1.4.0',
    buildHash: () => build,
  }
  const named = args.some((arg) => !arg.startsWith('--') && !arg.endsWith('.xml')) ? [] : Object.keys(files)
  const exit = await runSimCli(['merge', ...named, ...args], terminal as SimTerminal)
  return junit === undefined ? { exit, ...said } : { exit, ...said, junit }
}

/** A disk on which every file is new, and takes what is written behind one another. */
function fileAlone(take: (text: string) => void): SimTerminal['disk'] {
  const missing = async () => err({ kind: 'not-found', path: '', message: '' } as const)
  const file = {
    size: async () => ok(0),
    write: async (_at: number, bytes: Uint8Array) => {
      take(textOf(bytes))
      return done
    },
    close: async () => done,
  }
  return { realPath: missing, stat: missing, open: async () => ok(file) } as unknown as SimTerminal['disk']
}
