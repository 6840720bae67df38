import { describe, expect, it } from 'vitest'
import { runSelfTest, type SelfTestFlags } from '../../../sim/cli/self-test.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { hunts } from '../../../sim/self-test/hunts.ts'
import { plantedBugs } from '../../../sim/self-test/planted-bugs.ts'
import type { CopyEnd, Workshop } from '../../../sim/self-test/workshop.ts'

/** What a copy does: the code of the invariant that its last seed breaks, if any. */
interface Script {
  readonly seeds: number
  readonly code?: string
  readonly end?: CopyEnd
}

const known = plantedBugs.filter(({ name }) => name === 'half-is-a-quorum' || name === 'lease-after-a-pause')
const sources = new Map<string, string>()
for (const { file, find } of [...known, ...hunts].flatMap((of) => ('patches' in of ? of.patches : of.tuning))) {
  sources.set(file, `${sources.get(file) ?? ''}${find}\n`)
}

/** Copies that do as they are told: those with a bug, and the sound ones. */
function workshop(
  planted: Script,
  sound: Script,
  text: (file: string) => string | undefined,
): Workshop & { left: number } {
  const made = {
    left: 0,
    read: text,
    scenario: (name: string) => `scenarios/${name}`,
    copy: (replaced: ReadonlyMap<string, string>) => {
      made.left++
      const isSound = replaced.size === 0
      const script = isSound ? sound : planted
      return {
        run: async (_: readonly string[], onLine: (line: string) => void): Promise<CopyEnd> => {
          for (let seed = 1; seed <= script.seeds; seed++) {
            const isBroken = seed === script.seeds && script.code !== undefined
            const failures = isBroken ? [{ code: script.code, place: `${script.code} (it)`, message: 'is broken' }] : []
            onLine(JSON.stringify({ seed, failures }))
          }
          return script.end ?? { exit: script.code === undefined ? 0 : 1, error: '' }
        },
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
    createWorkshop: () => copies,
  } as unknown as SimTerminal
  const exit = await runSelfTest({ bug: ['half-is-a-quorum'], seeds: 5, ...flags }, terminal)
  expect(copies.left).toBe(0)
  return { exit, out, error }
}

describe('svc-sim self-test', () => {
  it('passes when the bug is found, and the sound program has nothing on the same seeds', async () => {
    const { exit, out, error } = await run({}, { seeds: 3, code: 'R1' }, { seeds: 3 })
    expect(error).toBe('')
    expect(out).toMatch(/^10 {2}half-is-a-quorum +R1 +3 +0\.0 s/m)
    expect(out).toMatch(/^ - {2}none, two-and-two +nothing +3 /m)
    expect(out).toMatch(/^passed in 0\.0 s$/m)
    expect(exit).toBe(0)
  })

  it('fails when nobody finds the bug', async () => {
    const { exit, out } = await run({}, { seeds: 5 }, { seeds: 5 })
    expect(out).toMatch(/half-is-a-quorum +NOT FOUND +5 /)
    expect(out).toMatch(/^FAILED in/m)
    expect(exit).toBe(1)
  })

  it('fails when an invariant that cannot know of the bug is the first to be broken, and says which could', async () => {
    const { exit, out } = await run({}, { seeds: 2, code: 'E2' }, { seeds: 2 })
    expect(out).toMatch(/half-is-a-quorum +E2 .*expected R1, .*: E2 \(it\): is broken/)
    expect(exit).toBe(1)
  })

  it('fails when the sound program is accused', async () => {
    const { exit, out } = await run({}, { seeds: 3, code: 'R1' }, { seeds: 2, code: 'R4' })
    expect(out).toMatch(/none, two-and-two +FALSE ALARM .*seed 2: R4 \(it\): is broken/)
    expect(exit).toBe(1)
  })

  it('fails when a copy does not come to an end, or ends in another way than a run does', async () => {
    const silent = await run({}, { seeds: 1, end: { exit: undefined, error: '' } }, { seeds: 1 })
    expect(silent.error).toContain(
      'half-is-a-quorum: seed 2 of scenarios/hunts/two-and-two.yaml did not come to an end',
    )
    expect(silent.exit).toBe(1)
    const broken = await run({}, { seeds: 0, end: { exit: 2, error: 'no such thing' } }, { seeds: 1 })
    expect(broken.error).toContain('half-is-a-quorum: the copy ended with exit code 2 after 0 seeds: no such thing')
    expect(broken.exit).toBe(1)
  })

  it('fails and names the patch when it does not fit any more', async () => {
    const { exit, error } = await run({}, { seeds: 1, code: 'R1' }, { seeds: 1 }, () => 'something else')
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
      passed: true,
      finding: { seed: 1, code: 'R1' },
      seeds: 1,
    })
    expect(rows[1]).toMatchObject({ row: 15, passed: false })
  })

  it('refuses a bug that it does not know with exit code 2, and names those that it does', async () => {
    const { exit, out, error } = await run({ bug: ['99'] }, { seeds: 1 }, { seeds: 1 })
    expect(error).toMatch(/^no planted bug is called '99': there are 1 earlier-term-commit, /)
    expect(out).toBe('')
    expect(exit).toBe(2)
  })
})
