import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { InvariantCode } from '../../../sim/checkers/checkers.ts'
import { runSelfTest, type SelfTestFlags } from '../../../sim/cli/self-test.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type Reply, requestSchema } from '../../../sim/pool/messages.ts'
import type { Worker, WorkerEnd, WorkerSaid } from '../../../sim/pool/worker.ts'
import { withoutRun } from '../../../sim/report/seed-record.ts'
import { hunts } from '../../../sim/self-test/hunts.ts'
import { plantedBugs } from '../../../sim/self-test/planted-bugs.ts'
import type { CopyEnd, Workshop } from '../../../sim/self-test/workshop.ts'
import { hostDisk } from '../../../src/host/disk.ts'

/** What a copy does: the code of the invariant that its last seed breaks, if any. */
interface Script {
  readonly seeds: number
  readonly code?: InvariantCode
  /** The first seed that breaks it, if not the last alone. */
  readonly from?: number
  /** How its worker ends after these seeds; without seeds, before it has started. */
  readonly end?: WorkerEnd
}

const known = plantedBugs.filter(({ name }) => name === 'half-is-a-quorum' || name === 'lease-after-a-pause')
const sources = new Map<string, string>()
for (const { file, find } of [...known, ...hunts].flatMap((of) => ('patches' in of ? of.patches : of.tuning))) {
  sources.set(file, `${sources.get(file) ?? ''}${find}\n`)
}

/** A worker that runs seeds by its script. */
function scripted({ seeds, code, from = seeds, end }: Script): Worker {
  const told: WorkerSaid[] = seeds === 0 && end !== undefined ? [] : [said({ kind: 'ready' })]
  return {
    send: (line) => {
      const request = requestSchema.parse(JSON.parse(line))
      if (request.kind !== 'seed') return
      const { page, seed } = request
      told.push(said({ kind: 'begun', page, seed }))
      if (seed > seeds) return
      const of = { scenario: 'a hunt', file: 'a.yaml', page: 'ab'.repeat(32), seed }
      const isBroken = seed >= from && code !== undefined
      const failures = isBroken ? [{ code, place: `${code} (it)`, message: 'is broken', atUs: 0 }] : []
      const record = withoutRun(of, isBroken ? 'failed' : 'passed', [], { wallMs: 0, cpuMs: 0 })
      const trace = 'cd'.repeat(32)
      told.push(said({ kind: 'ended', record: { ...record, failures, trace }, runsBefore: seed - 1 }))
    },
    next: async () =>
      (seeds === 0 ? undefined : told.shift()) ?? { end: end ?? { code: 0, signal: undefined, errors: '' } },
    kill: () => undefined,
  }
}

function said(reply: Reply): WorkerSaid {
  return { line: JSON.stringify(reply) }
}

/** Copies that do as they are told: those with a bug, and the sound ones. */
function workshop(
  planted: Script,
  sound: Script,
  text: (file: string) => string | undefined,
): Workshop & { left: number; readonly ran: (readonly string[])[] } {
  const made = {
    left: 0,
    ran: [] as (readonly string[])[],
    read: text,
    scenario: (name: string) => fileURLToPath(new URL(`../../../scenarios/${name}`, import.meta.url)),
    copy: (replaced: ReadonlyMap<string, string>) => {
      made.left++
      return {
        folder: '/copy',
        startWorker: () => scripted(replaced.size === 0 ? sound : planted),
        run: async (argv: readonly string[]): Promise<CopyEnd> => {
          made.ran.push(argv)
          return { exit: 1, error: '' }
        },
        command: async () => expect.fail('a self-test runs no command in place of its own'),
        remove: () => {
          made.left--
        },
      }
    },
  }
  return made
}

async function run(
  flags: Partial<SelfTestFlags>,
  planted: Script,
  sound: Script,
  read = (f: string) => sources.get(f),
) {
  let out = ''
  let error = ''
  const copies = workshop(planted, sound, read)
  const terminal = {
    out: (text: string) => {
      out += text
    },
    error: (text: string) => {
      error += text
    },
    wallMs: () => 0,
    version: '1.4.0',
    cores: 2,
    disk: hostDisk,
    createPlatform,
    createWorkshop: () => copies,
  } as unknown as SimTerminal
  const exit = await runSelfTest({ bug: ['half-is-a-quorum'], seeds: 5, ...flags }, terminal)
  expect(copies.left).toBe(0)
  return { exit, out, error, ran: copies.ran }
}

/** The verdict at the end of the table, and what stands below it. */
function endOf(out: string): string {
  return out.slice(out.search(/^(passed|FAILED)/m))
}

describe('svc-sim self-test', () => {
  it('passes when the bug is found, and the sound program has nothing on the same seeds', async () => {
    const { exit, out, error } = await run({}, { seeds: 3, code: 'R1' }, { seeds: 3 })
    expect(error).toBe('')
    expect(out).toMatch(/^ 10 {2}half-is-a-quorum +found +R1 +3 +0\.0 s/m)
    expect(out).toMatch(/^ {2}- {2}none, two-and-two +quiet +- +3 /m)
    expect(out).toMatch(/^passed: 2 rows in 0\.0 s$/m)
    expect(exit).toBe(0)
  })

  it('tells how many of so many seeds find a bug, in JSON and on a page', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-self-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const markdown = join(folder, 'page.md')
    const flags = { rate: 4, markdown, json: true }
    const { exit, out } = await run(flags, { seeds: 4, code: 'R1', from: 3 }, { seeds: 4 })
    expect(exit).toBe(0)
    const [row, sound] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(row).toMatchObject({ bug: 'half-is-a-quorum', seeds: 3, finding: { seed: 3 }, rate: { found: 2, seeds: 4 } })
    // What a rate was asked of is tried with the sound program, too.
    expect(sound).toMatchObject({ verdict: 'nothing-found', seeds: 4 })
    const page = readFileSync(markdown, 'utf8')
    expect(page).toContain('Of 1 bugs 1 were found by an invariant')
    expect(page).toMatch(/^\| 10 \| `half-is-a-quorum` \| .* \| two-and-two \| R1 \| 3 \| 2 of 4 \|$/m)
    expect(page).toContain('svc-sim self-test --seeds 5 --rate 4 --markdown docs/self-test.md')
    expect(page.split('\n').filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([])
  })

  it('goes on behind the seeds of a rate when none of them finds the bug', async () => {
    const { exit, out } = await run({ rate: 2, json: true }, { seeds: 4, code: 'R1' }, { seeds: 4 })
    expect(exit).toBe(0)
    const [row] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(row).toMatchObject({ verdict: 'found', finding: { seed: 4 }, rate: { found: 0, seeds: 2 } })
  })

  it('fails when no check finds the bug', async () => {
    const { exit, out } = await run({}, { seeds: 5 }, { seeds: 5 })
    expect(out).toMatch(
      /half-is-a-quorum +NOT FOUND +- +5 .*5 seeds of two-and-two broke nothing, and R8 or .* should have/,
    )
    expect(endOf(out)).toMatch(/^FAILED: 1 of 2 rows are wrong, in 0\.0 s\n +10 {2}half-is-a-quorum +NOT FOUND /)
    expect(exit).toBe(1)
  })

  it('fails when an invariant that cannot know of the bug is the first to be broken, and says which could', async () => {
    const { exit, out } = await run({}, { seeds: 2, code: 'E2' }, { seeds: 2 })
    const why =
      /half-is-a-quorum +WRONG LAW +E2 +2 .* {2}E2 noticed first, at seed 2, where the row says R8 or .*: E2 \(it\): is broken/
    expect(out).toMatch(why)
    // The wrong row alone stands below the verdict, so that no reader looks for it among eighty others.
    expect(endOf(out)).toMatch(why)
    expect(endOf(out)).not.toMatch(/none, two-and-two/)
    expect(exit).toBe(1)
  })

  it('fails when the sound program is accused', async () => {
    const { exit, out } = await run({}, { seeds: 3, code: 'R1' }, { seeds: 2, code: 'R4' })
    expect(out).toMatch(/none, two-and-two +FALSE ALARM +R4 .*broke R4 in two-and-two at seed 2: R4 \(it\): is broken/)
    expect(endOf(out)).toMatch(/^FAILED: 1 of 2 rows are wrong, .*\n +- {2}none, two-and-two /)
    expect(exit).toBe(1)
  })

  it('fails when a copy does not come to an end, or ends in another way than a run does', async () => {
    const killed = { code: undefined, signal: 'SIGKILL', errors: 'last words' }
    const silent = await run({}, { seeds: 1, end: killed }, { seeds: 1 })
    expect(silent.error).toMatch(
      /^half-is-a-quorum: seed 2 of \S+\/two-and-two\.yaml did not come to an end: died\nits process ended: signal SIGKILL\nlast words$/m,
    )
    expect(endOf(silent.out)).toMatch(/ 10 {2}half-is-a-quorum +NO SEARCH .*seed 2 of .* did not come to an end/)
    expect(silent.exit).toBe(1)
    const unable = { code: 2, signal: undefined, errors: 'no such thing' }
    const broken = await run({}, { seeds: 0, end: unable }, { seeds: 1 })
    expect(broken.error).toContain('half-is-a-quorum: a worker did not start: exit code 2: no such thing')
    expect(broken.exit).toBe(1)
  })

  it('fails and names the patch when it does not fit any more', async () => {
    const { exit, out, error } = await run({}, { seeds: 1, code: 'R1' }, { seeds: 1 }, () => 'something else')
    expect(endOf(out)).toMatch(
      /^FAILED: 1 of 1 rows are wrong, .*\n +10 {2}half-is-a-quorum +NO SEARCH .* 0 times instead/,
    )
    expect(error).toMatch(/^half-is-a-quorum: src\/raft\/core\/quorum\.js holds this 0 times instead of once:\n/)
    expect(exit).toBe(1)
  })

  it('takes bugs by row and by name, in the order of the table', async () => {
    const { out } = await run(
      { bug: ['15', 'half-is-a-quorum', '10'], json: true },
      { seeds: 1, code: 'R1' },
      { seeds: 1 },
    )
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ bug }) => bug)).toEqual(['half-is-a-quorum', 'lease-after-a-pause', null, null])
    expect(rows[0]).toMatchObject({
      row: 10,
      hunt: 'two-and-two',
      verdict: 'found',
      passed: true,
      finding: { seed: 1, code: 'R1' },
      seeds: 1,
    })
    expect(rows[1]).toMatchObject({ row: 15, verdict: 'found-by-another', passed: false })
    expect(rows[1].expected).not.toContain('R1')
    expect(rows[1].why).toMatch(/^R1 noticed first, at seed 1, where the row says /)
    expect(rows[2]).toMatchObject({ hunt: 'leader-sleeps', verdict: 'nothing-found', passed: true })
  })

  it('writes the trace of the seed that found the bug', async () => {
    const { exit, ran } = await run({ trace: 'a.trace' }, { seeds: 3, code: 'R1' }, { seeds: 3 })
    const file = expect.stringMatching(/scenarios\/hunts\/two-and-two\.yaml$/)
    expect(ran).toEqual([['run', file, '--seed', '3', '--quiet', '--trace', 'a.trace']])
    expect(exit).toBe(0)
    const none = await run({ trace: 'a.trace' }, { seeds: 5 }, { seeds: 5 })
    expect(none.ran.filter((argv) => argv.includes('--trace'))).toEqual([])
    const many = await run({ trace: 'a.trace', bug: ['10', '15'] }, { seeds: 1 }, { seeds: 1 })
    expect(many).toMatchObject({ exit: 2, out: '', error: '--trace writes one run: name one bug with --bug\n' })
  })

  it('refuses a bug that it does not know with exit code 2, and names those that it does', async () => {
    const { exit, out, error } = await run({ bug: ['99'] }, { seeds: 1 }, { seeds: 1 })
    expect(error).toMatch(/^no planted bug is called '99': there are 1 earlier-term-commit, /)
    expect(out).toBe('')
    expect(exit).toBe(2)
  })
})
