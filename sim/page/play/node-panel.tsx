import { useState } from 'preact/hooks'
import type { PlayAgent, PlayStatus } from '../../play/play-api.ts'
import { diskEntries, lifeEntries, linesFor, type MenuEntry } from './act-words.ts'
import { CommandForm } from './command-form.tsx'
import { ConfigurationForm } from './configuration-form.tsx'
import type { Doing } from './doing.ts'
import type { PlaySession } from './session.ts'

export interface NodePanelProps {
  readonly session: PlaySession
  readonly status: PlayStatus
  readonly agent: PlayAgent | undefined
  readonly doing: Doing
}

/** What can be done to the chosen node, and with it. */
export function NodePanel({ session, status, agent, doing }: NodePanelProps) {
  if (agent === undefined) return <p class="hint">Choose an agent: what can be done to it stands here.</p>
  const { name, kind, is, role, term, release, lastError, troubles } = agent
  return (
    <div class="node-panel">
      <h2>
        {name}{' '}
        <small>
          {is === 'up' ? (role ?? kind) : is}
          {term === null ? '' : `, term ${term}`}, release {release}
        </small>
      </h2>
      {lastError === null ? null : <p class="bad">{lastError}</p>}
      {troubles.length === 0 ? null : <p class="trouble">At fault: {troubles.join(', ')}</p>}
      <Menu title="Process" entries={lifeEntries(agent)} doing={doing} />
      <Upgrade agent={agent} releases={status.releases} doing={doing} />
      <Menu title="Disk" entries={diskEntries(name)} doing={doing} />
      <Clock name={name} doing={doing} />
      <Menu title="Faults" entries={[{ label: 'end all faults', deed: { mend: true } }]} doing={doing} />
      <CommandForm key={name} session={session} node={name} doing={doing} />
      <ConfigurationForm key={`${name} configuration`} session={session} node={name} doing={doing} />
      <Faces agent={agent} />
    </div>
  )
}

interface MenuProps {
  readonly title: string
  readonly entries: readonly MenuEntry[]
  readonly doing: Doing
}

function Menu({ title, entries, doing }: MenuProps) {
  return (
    <div class="menu">
      <span>{title}</span>
      {entries.map(({ label, deed }) => (
        <button type="button" key={label} onClick={() => doing.act([deed])}>
          {label}
        </button>
      ))}
    </div>
  )
}

interface UpgradeProps {
  readonly agent: PlayAgent
  readonly releases: readonly string[]
  readonly doing: Doing
}

function Upgrade({ agent: { name, release }, releases, doing }: UpgradeProps) {
  const others = releases.filter((one) => one !== release)
  const [to, setTo] = useState<string>()
  const wanted = to !== undefined && others.includes(to) ? to : others[0]
  if (wanted === undefined) return null
  return (
    <div class="menu">
      <span>Release</span>
      <select
        aria-label="Release to start as"
        value={wanted}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      >
        {others.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <button type="button" onClick={() => doing.act([{ upgrade: { node: name, to: wanted } }])}>
        start as this
      </button>
    </div>
  )
}

function Clock({ name, doing }: { readonly name: string; readonly doing: Doing }) {
  const [by, setBy] = useState('5m')
  const [rate, setRate] = useState('1%')
  return (
    <div class="menu">
      <span>Clock</span>
      <input aria-label="Step by" size={5} value={by} onInput={({ currentTarget }) => setBy(currentTarget.value)} />
      <button type="button" onClick={() => doing.act([{ fault: { 'step clock': { nodes: name, by } } }])}>
        step
      </button>
      <input
        aria-label="Rate error"
        size={5}
        value={rate}
        onInput={({ currentTarget }) => setRate(currentTarget.value)}
      />
      <button type="button" onClick={() => doing.act([{ fault: { 'clock rate': { nodes: name, rate } } }])}>
        rate error
      </button>
    </div>
  )
}

/** The agent's own faces, on loopback ports: a terminal and a browser talk to it, while time passes. */
function Faces({ agent }: { readonly agent: PlayAgent }) {
  const { httpPort, dnsPort } = agent
  if (httpPort === null || dnsPort === null) {
    return <p class="hint">This cluster has no ports: it runs in this tab. The terminal asks its agents.</p>
  }
  return (
    <section>
      <h3>From outside</h3>
      {agent.hasUi ? (
        <p>
          <a href={`http://127.0.0.1:${httpPort}/ui/`} target="_blank" rel="noreferrer">
            Web interface of {agent.name}
          </a>
        </p>
      ) : (
        <p class="hint">It serves no web interface: set "ui": true in its configuration.</p>
      )}
      <ul class="events">
        {linesFor(agent.name, httpPort, dnsPort).map((line) => (
          <li key={line}>
            <button type="button" title="Copy" onClick={() => void navigator.clipboard.writeText(line)}>
              {line}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
