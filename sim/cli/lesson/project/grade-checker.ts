import { z } from 'zod'
import { historyText } from '../../../checkers/keys/history-file.ts'
import { operationText } from '../../../checkers/keys/key-history.ts'
import { checkerHistories, type JudgedHistory } from '../../../lessons/checker-histories.ts'
import type { Grade, Project } from '../../../lessons/projects.ts'
import type { SimTerminal } from '../../terminal.ts'
import { readProjectFile, shippedPath } from './folder.ts'
import { folderWith, jsonIn, lastLines, runNode } from './programs.ts'

/** Maximum number of histories that are shown. */
const shownMax = 3

const verdictSchema = z.strictObject({ verdict: z.boolean() })

/** Runs the checker in `DIR/checker.mjs` over all histories, and compares its verdicts with those of the simulator. */
export async function gradeChecker(project: Project, dir: string, terminal: SimTerminal): Promise<Grade> {
  const text = await readProjectFile(`${dir}/checker.mjs`, terminal)
  if (!text.ok) return { passed: false, lines: [text.error] }
  const histories = checkerHistories()
  const lines = histories.map(({ operations }) => linesOf(operations))
  const folder = await folderWith([['histories.json', JSON.stringify(lines)]], terminal)
  if (!folder.ok) return { passed: false, lines: [folder.error] }
  const driver = shippedPath(project, 'driver.mjs', terminal)
  const end = await runNode([driver, `${dir}/checker.mjs`, `${folder.value}/histories.json`], terminal)
  terminal.workplace.remove(folder.value)
  const verdicts = verdictsIn(end.out)
  const wrong = histories.filter(({ isLinearizable }, at) => at < verdicts.length && verdicts[at] !== isLinearizable)
  const count = `${verdicts.length - wrong.length} of ${histories.length} histories are judged rightly`
  const shown = wrong.slice(0, shownMax).flatMap(wrongLines)
  if (verdicts.length === histories.length) return { passed: wrong.length === 0, lines: [count, ...shown] }
  const next = histories[verdicts.length]
  const stopped = `checker.mjs came to no verdict on history ${verdicts.length + 1}: ${next?.about ?? ''}`
  return { passed: false, lines: [count, ...shown, stopped, ...lastLines(end.error)] }
}

/** The operations as a history file has them, one object each. */
function linesOf(operations: JudgedHistory['operations']): readonly unknown[] {
  const [, ...lines] = historyText({ about: undefined, staleDefaultUs: 0, operations }).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** A student's checker may print lines of its own, which are no verdicts. */
function verdictsIn(out: string): readonly boolean[] {
  return out.split('\n').flatMap((line) => {
    if (!line.startsWith('{"verdict":')) return []
    const parsed = verdictSchema.safeParse(jsonIn(line))
    return parsed.success ? [parsed.data.verdict] : []
  })
}

function wrongLines({ about, operations, isLinearizable }: JudgedHistory): readonly string[] {
  return [
    `this history is ${isLinearizable ? 'linearizable' : 'not linearizable'} (${about}):`,
    ...operations.map((operation) => `  ${operationText(operation)}`),
  ]
}
