import { useState } from 'preact/hooks'
import type { PlayAgent, PlayAnswer, PlayRequest } from '../../play/play-api.ts'
import { seconds } from '../view.ts'
import type { Doing } from './doing.ts'
import type { PlaySession } from './session.ts'

export interface DataPanelProps {
  readonly session: PlaySession
  readonly agents: readonly PlayAgent[]
  readonly chosen: string | undefined
  readonly doing: Doing
}

/** Requests to an agent: keys, services, and any other. Virtual time passes until the answer is there. */
export function DataPanel({ session, agents, chosen, doing }: DataPanelProps) {
  const [answer, setAnswer] = useState<PlayAnswer>()
  const node = chosen ?? agents[0]?.name ?? ''
  const send = async (request: Omit<PlayRequest, 'node'>): Promise<void> => {
    const answered = await session.post<PlayAnswer>('request', { node, ...request })
    setAnswer(answered.ok ? answered.value : undefined)
    doing.say(answered.ok ? { text: answered.value.act.text, isBad: false } : { text: answered.error, isBad: true })
  }
  return (
    <div>
      <h2>
        Data <small>asked of {node}</small>
      </h2>
      <Form
        title="Write a key"
        names={['key', 'value']}
        values={['color', 'blue']}
        onSend={([key, value]) => send(keyRequest(key, value))}
      />
      <Form title="Read a key" names={['key']} values={['color']} onSend={([key]) => send(readRequest(key))} />
      <Form
        title="Register a service"
        names={['service', 'port']}
        values={['web', '8080']}
        onSend={([name, port]) => send(serviceRequest(name, port))}
      />
      <Form
        title="Any request"
        names={['method', 'target', 'body']}
        wide="target"
        values={['GET', '/v1/catalog/nodes', '']}
        onSend={([method = 'GET', target = '/', body = '']) =>
          send({ method, target, ...(body === '' ? {} : { body }) })
        }
      />
      {answer === undefined ? null : (
        <div>
          <p class={answer.status >= 200 && answer.status < 400 ? 'hint' : 'bad'}>
            {answer.status === 0 ? 'no answer' : `status ${answer.status}`} after {seconds(answer.tookUs)} s
          </p>
          <pre id="answer">{answer.body}</pre>
        </div>
      )}
    </div>
  )
}

interface FormProps {
  readonly title: string
  readonly names: readonly string[]
  readonly values: readonly string[]
  /** Name of what is long. */
  readonly wide?: string
  readonly onSend: (values: readonly string[]) => void
}

function Form({ title, names, values: first, wide, onSend }: FormProps) {
  const [values, setValues] = useState(first)
  const sent = (event: Event): void => {
    event.preventDefault()
    onSend(values)
  }
  return (
    <form class="menu" onSubmit={sent}>
      <span>{title}</span>
      {names.map((name, place) => (
        <input
          key={name}
          aria-label={name}
          placeholder={name}
          size={name === wide ? 24 : 10}
          value={values[place]}
          onInput={({ currentTarget }) =>
            setValues((now) => now.map((value, at) => (at === place ? currentTarget.value : value)))
          }
        />
      ))}
      <button type="submit">send</button>
    </form>
  )
}

function pathOf(key: string): string {
  return `/v1/kv/${key.split('/').map(encodeURIComponent).join('/')}`
}

function keyRequest(key = '', body = ''): Omit<PlayRequest, 'node'> {
  return { method: 'PUT', target: pathOf(key), body }
}

function readRequest(key = ''): Omit<PlayRequest, 'node'> {
  return { method: 'GET', target: `${pathOf(key)}?raw` }
}

function serviceRequest(name = '', port = ''): Omit<PlayRequest, 'node'> {
  const body = JSON.stringify({ Name: name, Port: Number(port) })
  return { method: 'PUT', target: '/v1/agent/service/register', body }
}
