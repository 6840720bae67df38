import { toldUnder } from '../../model/naming/told.ts'
import { ClientSettings } from '../api/client-settings.ts'
import type { CommandFlag, Guard, Invocation, Losses } from '../command.ts'

export const forceFlag: CommandFlag = {
  name: 'force',
  kind: 'bool',
  help: 'Do it without a warning or a question, also where $SVC_CONFIRM is always.',
}

/**
 * Says what a command would destroy, and decides whether it may run: on a terminal a person is asked, a script is
 * warned, and where the environment demands it only -force passes.
 */
export async function passesGuard(invocation: Invocation, guard: Guard): Promise<boolean> {
  const { flags, naming, terminal } = invocation
  if (flags.get('force') === true) return true
  const setting = new ClientSettings(invocation).variable('CONFIRM')
  const told = (text: string): void => terminal.error(toldUnder(naming, text))
  if (setting !== undefined && setting !== 'always') {
    told(`SVC_CONFIRM is ${JSON.stringify(setting)}: set it to always, or unset it. Nothing was done.\n`)
    return false
  }
  const lines = linesOf(await guard.losses(invocation))
  if (lines.length === 0) return true
  for (const line of lines) terminal.error(`Warning: ${line}\n`)
  if (setting === 'always') {
    told('Nothing was done, because SVC_CONFIRM is always: add -force to do it.\n')
    return false
  }
  if (terminal.ask === undefined) return true
  const answer = await terminal.ask('Type yes to continue: ')
  if (answer?.trim().toLowerCase() === 'yes') return true
  told('Nothing was done.\n')
  return false
}

function linesOf(losses: Losses): readonly string[] {
  switch (losses.kind) {
    case 'known':
      return losses.sentences
    case 'unknown':
      return [`What would be lost is unknown: ${losses.why}.`]
    case 'no-agent':
      return []
  }
}
