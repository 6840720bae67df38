import { useState } from 'preact/hooks'
import type { PlayCommand, PlayCommandResult } from '../../play/play-api.ts'
import { seconds } from '../view.ts'
import { wordsOf } from './act-words.ts'
import type { Doing } from './doing.ts'
import type { PlaySession } from './session.ts'

export interface NodeFormProps {
  readonly session: PlaySession
  readonly node: string
  readonly doing: Doing
}

/** Runs a command of `svc` on a node, and shows what it prints. */
export function CommandForm({ session, node, doing }: NodeFormProps) {
  const [line, setLine] = useState('members')
  const [result, setResult] = useState<PlayCommandResult>()
  const [isRunning, setRunning] = useState(false)
  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    const command: PlayCommand = { node, args: wordsOf(line.replace(/^svc\s+/, '')) }
    setRunning(true)
    const answer = await session.post<PlayCommandResult>('command', command)
    setRunning(false)
    setResult(answer.ok ? answer.value : undefined)
    doing.say(answer.ok ? { text: answer.value.act.text, isBad: false } : { text: answer.error, isBad: true })
  }
  return (
    <form class="command" onSubmit={(event) => void run(event)}>
      <label>
        svc <input id="command" value={line} onInput={({ currentTarget }) => setLine(currentTarget.value)} />
      </label>
      <button type="submit" disabled={isRunning}>
        {isRunning ? 'runs' : 'run'}
      </button>
      {result === undefined ? null : <Result result={result} />}
    </form>
  )
}

function Result({ result: { code, out, error, tookUs } }: { readonly result: PlayCommandResult }) {
  const end = code === null ? 'has not ended' : `exit code ${code}`
  return (
    <div>
      <p class={code === 0 ? 'hint' : 'bad'}>
        {end} after {seconds(tookUs)} s
      </p>
      <pre id="output">{`${out}${error}`}</pre>
    </div>
  )
}
