import { useMemo, useState } from 'preact/hooks'
import type { TabCluster, TabLesson } from '../../play/tab-api.ts'
import { forgetWork, keptWork } from './lessons.ts'
import { searchOf, type TabLink } from './link.ts'

/** A scenario that lies in the page. */
export interface TabScenario {
  /** As links name it: `crash-and-recover`. */
  readonly name: string
  /** As `svc-sim run` names it. */
  readonly file: string
  readonly title: string
  readonly about: string
  readonly text: string
}

export interface StartProps {
  readonly scenarios: readonly TabScenario[]
  readonly lessons: readonly TabLesson[]
  readonly problem: string | undefined
  /** Begins without a link: with a file of the reader. */
  readonly onBegin: (begin: TabCluster) => void
}

/** Where a reader without a link chooses what to run, or what to play with. */
export function Start({ scenarios, lessons, problem, onBegin }: StartProps) {
  const [sought, setSought] = useState('')
  const [chosen, setChosen] = useState('election-under-partition')
  const [seed, setSeed] = useState('')
  const [steps, setSteps] = useState('')
  const [servers, setServers] = useState('3')
  const found = useMemo(() => scenarios.filter((each) => isSought(each, sought)), [scenarios, sought])
  const shown = found.find(({ name }) => name === chosen) ?? found[0]
  const link = (does: TabLink['does'], scenario: string | undefined, more: Partial<TabLink> = {}): string => {
    const none = { lesson: undefined, seed: undefined, steps: undefined, servers: undefined, clients: undefined }
    return searchOf({ ...none, does, scenario, seed: numberIn(seed), ...more })
  }
  return (
    <div class="start">
      <h1>A cluster in this tab</h1>
      <p>
        The agents of svc run here, on virtual time and on a simulated network. The same scenario and the same seed give
        the same run, byte for byte, here and with svc-sim.
      </p>
      {problem === undefined ? null : <pre class="bad">{problem}</pre>}
      <h2>Numbers</h2>
      <p class="menu">
        <Field label="seed" value={seed} hint="1, or its own" onValue={setSeed} />
        <Field label="stand still after events" value={steps} hint="never" onValue={setSteps} />
        <Field label="servers" value={servers} hint="3" onValue={setServers} />
      </p>
      <h2>A cluster to play with</h2>
      <p>
        <a
          class="go"
          id="play-empty"
          href={link('play', undefined, { servers: numberIn(servers), steps: numberIn(steps) })}
        >
          play with {numberIn(servers) ?? 3} servers
        </a>
      </p>
      <h2>A scenario</h2>
      <input
        type="search"
        aria-label="Search the scenarios"
        placeholder={`search ${scenarios.length} scenarios`}
        value={sought}
        onInput={({ currentTarget }) => setSought(currentTarget.value)}
      />
      <select
        size={12}
        aria-label="Scenario"
        value={shown?.name ?? ''}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      >
        {found.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      {shown === undefined ? (
        <p class="hint">No scenario has these words.</p>
      ) : (
        <div>
          <p>{shown.about}</p>
          <p>
            <a class="go" id="run" href={link('run', shown.name)}>
              run it
            </a>{' '}
            <a class="go" id="play" href={link('play', shown.name, { steps: numberIn(steps) })}>
              play with its cluster
            </a>
          </p>
        </div>
      )}
      {lessons.length === 0 ? null : <Lessons lessons={lessons} />}
      <OwnFile seed={numberIn(seed)} onBegin={onBegin} />
    </div>
  )
}

/** Each lesson with its cluster beside it, and what this browser has kept of the reader's work. */
function Lessons({ lessons }: Pick<StartProps, 'lessons'>) {
  const [hasWork, setHasWork] = useState(() => keptWork() !== undefined)
  const forget = (): void => {
    forgetWork()
    setHasWork(false)
  }
  return (
    <div>
      <h2>Lessons</h2>
      <ol class="lessons">
        {lessons.map(({ number, name, title, minutes }) => (
          <li key={name} value={number}>
            <a href={`?lesson=${number}`}>{title}</a> <small>{minutes} minutes</small>
          </li>
        ))}
      </ol>
      {hasWork ? (
        <button type="button" id="forget" onClick={forget}>
          forget my work on the lessons
        </button>
      ) : (
        <p class="hint">Your answers stay in this browser.</p>
      )}
    </div>
  )
}

interface OwnFileProps {
  readonly seed: number | undefined
  readonly onBegin: (begin: TabCluster) => void
}

/** A scenario of the reader, or a saved session, which goes on. */
function OwnFile({ seed, onBegin }: OwnFileProps) {
  const [file, setFile] = useState<File>()
  const begin = async (does: TabCluster['does']): Promise<void> => {
    if (file === undefined) return
    const scenario = { file: file.name, text: await file.text() }
    onBegin({ does, scenario, ...(seed === undefined ? {} : { seed }) })
  }
  return (
    <div>
      <h2>A file of yours</h2>
      <p class="menu">
        <input
          type="file"
          id="own"
          accept=".yaml,.yml"
          aria-label="A scenario or a saved session"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
        <button type="button" id="run-own" disabled={file === undefined} onClick={() => void begin('run')}>
          run it
        </button>
        <button type="button" id="play-own" disabled={file === undefined} onClick={() => void begin('play')}>
          play with its cluster
        </button>
      </p>
      <p class="hint">A scenario, or a session that was saved. It stays in this tab.</p>
    </div>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly hint: string
  readonly onValue: (value: string) => void
}

function Field({ label, value, hint, onValue }: FieldProps) {
  return (
    <label>
      {label}{' '}
      <input
        inputMode="numeric"
        size={12}
        value={value}
        placeholder={hint}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  )
}

function isSought({ name, title, about }: TabScenario, sought: string): boolean {
  const text = `${name} ${title} ${about}`.toLowerCase()
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function numberIn(text: string): number | undefined {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : undefined
}
