import { useEffect, useRef, useState } from 'preact/hooks'
import type { PlayAgent, PlayAnswer, PlayCommandResult } from '../../play/play-api.ts'
import { seconds } from '../view.ts'
import type { Doing } from './doing.ts'
import type { PlaySession } from './session.ts'
import { type TypedLine, typedLine } from './typed-line.ts'

/** Maximum number of entries that stay on the screen. */
const entriesMax = 200

/** A line that was typed, and what came of it. */
interface Entry {
  readonly number: number
  readonly node: string
  readonly line: string
  /** Undefined: there is no answer yet. */
  readonly answer?: { readonly text: string; readonly isBad: boolean }
}

export interface TerminalPanelProps {
  readonly session: PlaySession
  readonly agents: readonly PlayAgent[]
  readonly chosen: string | undefined
  readonly doing: Doing
  /** A terminal that is not shown keeps its lines. */
  readonly isShown: boolean
}

/** A terminal on the machine of an agent: commands of `svc`, and HTTP requests to the agent. */
export function TerminalPanel({ session, agents, chosen, doing, isShown }: TerminalPanelProps) {
  const node = chosen ?? agents[0]?.name ?? ''
  const [entries, setEntries] = useState<readonly Entry[]>([])
  const [line, setLine] = useState('')
  const [back, setBack] = useState(0)
  const count = useRef(0)
  const end = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isShown) end.current?.scrollIntoView({ block: 'nearest' })
  }, [entries, isShown])

  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (line.trim() === '') return
    const entry: Entry = { number: ++count.current, node, line }
    setEntries((now) => [...now, entry].slice(-entriesMax))
    setLine('')
    setBack(0)
    const answer = await answered(session, node, typedLine(line))
    setEntries((now) => now.map((each) => (each.number === entry.number ? { ...each, answer } : each)))
    doing.say({ text: '', isBad: false })
  }
  /** The arrow keys bring earlier lines back. */
  const recall = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    const next = Math.min(Math.max(back + by, 0), entries.length)
    setBack(next)
    setLine(next === 0 ? '' : (entries.at(-next)?.line ?? ''))
  }
  return (
    <div class="terminal" hidden={!isShown}>
      <p class="hint">
        <code>svc members</code>, <code>svc kv put color blue</code>, <code>GET /v1/catalog/nodes</code>,{' '}
        <code>PUT /v1/kv/color blue</code>. Time passes until the answer is there.
      </p>
      <ol id="typed">
        {entries.map((entry) => (
          <li key={entry.number}>
            <b>
              {entry.node}$ {entry.line}
            </b>
            {entry.answer === undefined ? (
              <span class="hint"> …</span>
            ) : (
              <pre class={entry.answer.isBad ? 'bad' : ''}>{entry.answer.text}</pre>
            )}
          </li>
        ))}
      </ol>
      <form ref={end} onSubmit={(event) => void run(event)}>
        <label>
          {node}${' '}
          <input
            id="type"
            autocomplete="off"
            spellcheck={false}
            value={line}
            onKeyDown={recall}
            onInput={({ currentTarget }) => setLine(currentTarget.value)}
          />
        </label>
      </form>
    </div>
  )
}

async function answered(session: PlaySession, node: string, typed: TypedLine): Promise<NonNullable<Entry['answer']>> {
  if (typed.kind === 'command') {
    const done = await session.post<PlayCommandResult>('command', { node, args: typed.args })
    if (!done.ok) return { text: done.error, isBad: true }
    const { code, out, error, tookUs } = done.value
    const text = code === null ? `${out}${error}(has not ended after ${seconds(tookUs)} s)` : `${out}${error}`
    return { text, isBad: code !== 0 }
  }
  const { method, target, body } = typed
  const done = await session.post<PlayAnswer>('request', { node, method, target, ...(body === '' ? {} : { body }) })
  if (!done.ok) return { text: done.error, isBad: true }
  const { status, headers, body: text, tookUs } = done.value
  const isBad = status === 0 || status >= 400
  if (status === 0) return { text, isBad }
  const head = [`HTTP ${status} after ${seconds(tookUs)} s`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return { text: `${head.join('\n')}\n\n${text}`, isBad }
}
