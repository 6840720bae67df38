import type { Command } from 'commander'
import { historyBytesMax, parseHistory } from '../checkers/keys/history-file.ts'
import { searchStepsMax } from '../checkers/keys/key-verdict.ts'
import { historyPage } from '../report/history-page.ts'
import { historyLines, judgeHistory } from '../report/history-report.ts'
import { stillPage } from '../report/still-page.ts'
import { readText, type TextKind, writeText } from './files.ts'
import { type Ended, stepCount } from './flag-values.ts'
import { oneFileTwice } from './one-file.ts'
import { exits, type SimTerminal } from './terminal.ts'

interface LincheckFlags {
  readonly html?: string
  readonly steps?: number
}

const historyFile: TextKind = {
  bytesMax: historyBytesMax,
  instead: 'name the file of a history in it',
  tooLarge: 'keys are judged one by one, so cut it by keys',
}

export function addLincheck(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('lincheck')
    .description('Say whether a history of keys is linearizable, and if not, why.')
    .argument('<file>', 'a history: JSON lines, as run --history writes them')
    .option('--html <file>', 'draw an order of the operations, or the smallest contradiction: one lane for each client')
    .option(
      '--steps <n>',
      "give up on a key after this many steps of the search, 2000000 if not given; its verdict is 'undecided'",
      stepCount,
    )
    .action(async (file: string, flags: LincheckFlags) => {
      ended(await checkHistory(file, flags, terminal))
    })
}

/**
 * `svc-sim lincheck`: judges the history in a file. A search that reached its limit has shown nothing, so the history
 * has not passed.
 */
async function checkHistory(file: string, flags: LincheckFlags, terminal: SimTerminal): Promise<number> {
  const misuse = await oneFileTwice(terminal.disk, [{ as: 'the history', file }], [{ as: '--html', file: flags.html }])
  if (misuse !== undefined) {
    terminal.error(`${misuse}\n`)
    return exits.usage
  }
  const text = await readText(terminal.disk, file, historyFile)
  const history = text.ok ? parseHistory(file, text.value) : text
  if (!history.ok) {
    for (const line of typeof history.error === 'string' ? [history.error] : history.error) terminal.error(`${line}\n`)
    return exits.usage
  }
  const judged = judgeHistory(history.value, flags.steps ?? searchStepsMax)
  for (const line of historyLines(file, judged)) terminal.out(`${line}\n`)
  if (flags.html !== undefined) {
    const page = stillPage(terminal.pageTemplate('still'), historyPage(file, judged))
    if (!(await writeText(terminal, flags.html, page))) return exits.usage
    terminal.out(`picture: ${flags.html}\n`)
  }
  if (judged.verdict === 'undecided') return exits.undecided
  return judged.verdict === 'linearizable' ? exits.passed : exits.failed
}
