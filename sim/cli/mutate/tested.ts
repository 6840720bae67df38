import { hex, utf8 } from '../../../src/base/bytes.ts'
import type { MutationBuild } from '../../mutation/build.ts'
import type { Line, MutantLine, TestedLine, TestFileLine } from '../../mutation/lines.ts'
import { judgeByTests } from '../../mutation/tested.ts'
import { readText, type TextKind } from '../files.ts'
import { Screen } from '../screen.ts'
import type { SimTerminal } from '../terminal.ts'
import type { MutateFlags } from './flags.ts'
import { mutantText, testedText } from './printing.ts'
import { CheckoutTests } from './test-bench.ts'

/** Tests that run the program within their own process: those of the others start it anew, from the checkout. */
const usualFolders = ['test/unit', 'test/property', 'test/contract', 'test/conformance']

const testFile: TextKind = { bytesMax: 4 << 20, instead: 'name a folder of tests', tooLarge: 'cut it into several' }

export interface ToTest {
  readonly flags: MutateFlags
  readonly build: MutationBuild
  readonly done: readonly MutantLine[]
  readonly known: readonly Line[]
  readonly add: (line: Line) => void
  readonly terminal: SimTerminal
}

/** Why the tests that were asked for cannot judge; undefined: they can, or none were asked for. */
export async function testsRefused(flags: MutateFlags, terminal: SimTerminal): Promise<string | undefined> {
  if (flags.tests === undefined) return undefined
  const { folder } = terminal.createWorkshop()
  const tests = new CheckoutTests(folder, folder, terminal)
  for (const named of tests.isThere ? foldersOf(flags) : []) {
    if ((await tests.files([named])).length === 0) return `--tests ${named}: ${folder} has no file of tests there`
  }
  return tests.isThere
    ? undefined
    : `--tests runs the tests of a checkout: ${folder} has no vitest. Run "npm ci" in a checkout, and its bin/svc-sim.js`
}

/** Judges by tests the mutants that no run killed; adds a line for each file of tests and each of these mutants. */
export async function judgedByTests(asked: ToTest): Promise<readonly TestedLine[]> {
  const { flags, build, done, known, add, terminal } = asked
  const workshop = terminal.createWorkshop()
  const copy = workshop.copy(build.texts)
  // Tests also import what is bundled into pages, and its packages, which only developers have.
  terminal.workplace.remove(`${copy.folder}/node_modules`)
  terminal.workplace.link(`${workshop.folder}/node_modules`, `${copy.folder}/node_modules`)
  const alive = new Map(done.flatMap((line) => (line.fate === 'killed' ? [] : [[line.id, line]])))
  const tested: TestedLine[] = known.filter((line) => line.kind === 'tested')
  const screen = new Screen(terminal, () => `${tested.length} of ${alive.size} mutants judged by tests`)
  try {
    const bench = new CheckoutTests(workshop.folder, copy.folder, terminal)
    const jobs = flags.jobs ?? terminal.cores
    const files = await coveredFiles(bench, workshop.folder, jobs, { ...asked, screen })
    await judgeByTests({
      bench,
      mutants: build.mutants.filter(({ id }) => alive.has(id) && !tested.some((line) => line.id === id)),
      all: build.mutants,
      sites: build.sites,
      files,
      budgetMs: flags.budget,
      jobs,
      onTested: (line) => {
        tested.push(line)
        add(line)
        const mutant = alive.get(line.id)
        if (mutant !== undefined) screen.line(`${testedText(line)}  ${mutantText(mutant)}`)
      },
    })
    return tested
  } finally {
    screen.close()
    copy.remove()
  }
}

function foldersOf({ tests }: MutateFlags): readonly string[] {
  return tests === undefined || tests === true ? usualFolders : tests
}

/** What each file reaches; those whose content has not changed since are not run again. */
async function coveredFiles(
  bench: CheckoutTests,
  checkout: string,
  jobs: number,
  { flags, known, add, screen, terminal }: ToTest & { readonly screen: Screen },
): Promise<readonly TestFileLine[]> {
  const hashes = new Map<string, string>()
  const platform = terminal.createPlatform()
  for (const file of await bench.files(foldersOf(flags))) {
    const text = await readText(terminal.disk, `${checkout}/${file}`, testFile)
    if (text.ok) hashes.set(file, hex(platform.sha256(utf8(text.value))))
    else screen.note(text.error)
  }
  platform.close()
  const before = known.filter(
    (line): line is TestFileLine => line.kind === 'test file' && hashes.get(line.file) === line.hash,
  )
  const left = [...hashes.keys()].filter((file) => !before.some((line) => line.file === file))
  const covered = left.length === 0 ? [] : await bench.cover(left, jobs)
  const lines = covered.map((each): TestFileLine => ({ kind: 'test file', hash: hashes.get(each.file) ?? '', ...each }))
  const silent = left.filter((file) => !covered.some((each) => each.file === file))
  for (const file of silent) screen.note(`${file} has no result with the unchanged program: no mutant is tried there`)
  for (const line of lines) {
    add(line)
    if (!line.isSound) screen.note(`${line.file} does not pass with the unchanged program: no mutant is tried there`)
  }
  return [...before, ...lines]
}
