import type { Command } from 'commander'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { FilmMaker } from '../picture/film.ts'
import { writeText } from './files.ts'
import type { Ended } from './flag-values.ts'
import { oneFileTwice } from './one-file.ts'
import { newFilm, reportPage } from './run-page.ts'
import { exits, type SimTerminal } from './terminal.ts'
import { eventOf, readTrace } from './trace/events.ts'

export function addReport(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('report')
    .description('Make a page of HTML from a trace: lanes, messages, states, what failed and why, in one file.')
    .argument('<trace>', 'a trace of run --trace, compressed or not; - reads the standard input')
    .requiredOption('-o, --output <file>', 'where to write the page')
    .action(async (trace: string, { output }: { readonly output: string }) => {
      ended(await report(trace, output, terminal))
    })
}

/** `svc-sim report`: makes the picture of a traced run. */
async function report(trace: string, output: string, terminal: SimTerminal): Promise<number> {
  const overwriting = await oneFileTwice(
    terminal.disk,
    [{ as: 'the trace', file: trace }],
    [{ as: '--output', file: output }],
  )
  if (overwriting !== undefined) {
    terminal.error(`${overwriting}\n`)
    return exits.usage
  }
  const page = await pageOf(trace, terminal)
  if (!page.ok) {
    terminal.error(`${page.error}\n`)
    return exits.usage
  }
  return (await writeText(terminal, output, page.value)) ? exits.passed : exits.usage
}

async function pageOf(trace: string, terminal: SimTerminal): Promise<Result<string, string>> {
  let film: FilmMaker | undefined
  const read = await readTrace(terminal, trace, {
    onHeader: (header) => {
      film = newFilm(terminal, header)
      return true
    },
    onLine: (line) => {
      const event = eventOf(line)
      if (!event.ok) return event
      film?.add(event.value)
      return ok(true)
    },
  })
  if (!read.ok) return read
  if (film === undefined) return err(`${trace}: it has no header`)
  return ok(reportPage(terminal, film))
}
