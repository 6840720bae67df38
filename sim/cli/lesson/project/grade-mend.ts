import { z } from 'zod'
import type { Grade, Project } from '../../../lessons/projects.ts'
import { sessionDutyFile } from '../../../self-test/project-bugs.ts'
import type { ProgramCopy } from '../../../self-test/workshop.ts'
import type { SimTerminal } from '../../terminal.ts'
import { readProjectFile, shippedPath } from './folder.ts'
import { jsonIn, lastLines } from './programs.ts'

/** The pages of the check, in their order, with their seeds. */
const pages = [
  { page: 'sleepers.yaml', seeds: '1..3' },
  { page: 'ended.yaml', seeds: '1..2' },
  { page: 'next-leader.yaml', seeds: '1..2' },
] as const

/** What is read of the record of a seed. */
const recordSchema = z.object({
  seed: z.int(),
  verdict: z.string(),
  failures: z.array(z.object({ place: z.string(), message: z.string() })),
})
type SeedLine = z.infer<typeof recordSchema>

/** Puts `DIR/duty.js` into a copy of this program, and runs the pages of the project with it. */
export async function gradeMend(project: Project, dir: string, terminal: SimTerminal): Promise<Grade> {
  const text = await readProjectFile(`${dir}/duty.js`, terminal)
  if (!text.ok) return { passed: false, lines: [text.error] }
  const copy = terminal.createWorkshop().copy(new Map([[sessionDutyFile, text.value]]))
  const lines: string[] = []
  try {
    for (const { page, seeds } of pages) {
      const graded = await gradePage({ path: shippedPath(project, page, terminal), page, seeds, dir }, copy)
      lines.push(...graded.lines)
      if (!graded.passed) return { passed: false, lines }
    }
  } finally {
    copy.remove()
  }
  return { passed: true, lines }
}

interface PageOfCheck {
  readonly path: string
  readonly page: string
  readonly seeds: string
  readonly dir: string
}

async function gradePage({ path, page, seeds, dir }: PageOfCheck, copy: ProgramCopy): Promise<Grade> {
  const records: SeedLine[] = []
  const argv = ['run', path, '--seeds', seeds, '--jobs', '1', '--until-failure', '--json']
  const end = await copy.run(argv, (line) => {
    const parsed = recordSchema.safeParse(jsonIn(line))
    if (parsed.success) records.push(parsed.data)
  })
  const failing = records.find(({ verdict }) => verdict !== 'passed')
  if (end.exit === 0 && failing === undefined && records.length > 0) {
    return { passed: true, lines: [`${page}: ${records.length} runs passed`] }
  }
  if (failing === undefined)
    return { passed: false, lines: [`${page}: did not run to its end:`, ...lastLines(end.error)] }
  const { seed, failures } = failing
  const [trace, html] = [`${dir}/failing.jsonl.gz`, `${dir}/failing.html`]
  await copy.run(['run', path, '--seed', String(seed), '--quiet', '--trace', trace, '--html', html], () => undefined)
  const [first] = failures
  const why = first === undefined ? failing.verdict : `${first.place}: ${first.message}`
  return { passed: false, lines: [`${page}, seed ${seed}: ${why}`, `trace: ${trace}`, `picture: ${html}`] }
}
