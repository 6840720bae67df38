import type { Command } from 'commander'
import { countTo, type Ended, gathered, wholeNumber } from '../flag-values.ts'
import type { SimTerminal } from '../terminal.ts'
import { printTrace } from './command.ts'
import type { TraceFlags } from './flags.ts'

/** Maximum number of causes of an event. */
const arrowsMax = 64
/** Maximum number of steps: longer chains are not readable. */
const stepsBackMax = 1_000

export function addTrace(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('trace')
    .description('Show events of a trace: what packets and writes say in plain words, with arrows to causes.')
    .argument('<file>', 'a trace of run --trace, compressed or not; - reads the standard input')
    .option('--from <time>', 'only from this time on: 9s, 1m30s, 9.4s')
    .option('--to <time>', 'only up to this time')
    .option('--events <range>', 'only events with these numbers: 17..40, 17.., ..40')
    .option('--node <names>', 'only what happens at these machines: s3 or s1,s2', gathered)
    .option('--kind <names>', 'only these kinds of events or layers of protocol: raft,gossip,kind:log', gathered)
    .option('--about <name=value>', 'only events about this: entry=90, key=a, term=4, member=s3', gathered)
    .option('--no-faults', 'with --about: leave out the violations, faults, crashes and boots that are shown with it')
    .option('--causes-of <n>', 'only event n and what led to it', wholeNumber)
    .option('--steps <n>', 'with --causes-of: number of arrows to walk back', countTo(stepsBackMax))
    .option(
      '--arrows <n>',
      'number of causes of an event that are shown in words (4); 0: numbers alone',
      countTo(arrowsMax, 0),
    )
    .option('--json', 'print the header and the events as they stand in the trace')
    .addHelpText('after', traceHelp)
    .action(async (file: string, flags: TraceFlags) => {
      ended(await printTrace(file, flags, terminal))
    })
}

const traceHelp = `
--node, --kind and --about may be repeated. Of one name any value will do; different options, and
different names of --about, must all be met. docs/trace.md has every kind, layer and name.
`
