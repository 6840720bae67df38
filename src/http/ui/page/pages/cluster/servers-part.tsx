import type { AutopilotHealth, AutopilotSettings, RaftServer, ServerHealth } from '../../api/cluster-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { toleranceText, unhealthyReasons, whyNoVote } from '../../explain/votes.ts'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { type Live, useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { clusterWords as words } from '../../words/cluster-words.ts'

type RaftAnswer = { readonly Servers: readonly RaftServer[] }

/** The servers of Raft with their votes and health, and why one has no vote. */
export function ServersPart({ raft }: { readonly raft: Live<RaftAnswer> }) {
  const health = useLive<AutopilotHealth>('/v1/operator/autopilot/health')
  const settings = useLive<AutopilotSettings>('/v1/operator/autopilot/configuration')
  return (
    <Shown live={raft} needs={words.needsRead}>
      {({ Servers }) => (
        <>
          <ServerTable servers={Servers} health={health.value} settings={settings.value} />
          {health.value !== undefined && <p>{toleranceText(health.value)}</p>}
          <Command line={commandLine('operator raft list-peers')} />
        </>
      )}
    </Shown>
  )
}

interface ServersProps {
  readonly servers: readonly RaftServer[]
  readonly health: AutopilotHealth | undefined
  readonly settings: AutopilotSettings | undefined
}

function ServerTable({ servers, health, settings }: ServersProps) {
  const act = useAct()
  const healthOf = ({ ID }: RaftServer): ServerHealth | undefined => health?.Servers?.find((each) => each.ID === ID)
  const transfer = (): void =>
    void act.send({ method: 'POST', path: '/v1/operator/raft/transfer-leader' }, words.transferred)
  const remove = ({ ID, Node }: RaftServer): void =>
    void act.send({ method: 'DELETE', path: '/v1/operator/raft/peer', query: { id: ID } }, words.removedPeer(Node))
  return (
    <>
      <Table
        caption={words.servers}
        rows={servers}
        keyOf={({ ID }) => ID}
        columns={[
          { head: words.server, cell: (each) => `${each.Node}${each.Leader ? `, ${words.leader.toLowerCase()}` : ''}` },
          { head: words.address, cell: ({ Address }) => <code>{Address}</code> },
          { head: words.vote, cell: ({ Voter }) => (Voter ? words.voter : words.nonVoter) },
          { head: words.health, cell: (each) => <Health health={healthOf(each)} /> },
          { head: words.contact, cell: (each) => healthOf(each)?.LastContact, class: 'number' },
          { head: words.term, cell: (each) => healthOf(each)?.LastTerm, class: 'number' },
          { head: words.index, cell: (each) => healthOf(each)?.LastIndex, class: 'number' },
          { head: words.version, cell: (each) => healthOf(each)?.Version },
          { head: words.stable, cell: (each) => healthOf(each)?.StableSince },
          {
            head: words.actions,
            cell: (each) =>
              healthOf(each)?.Healthy === false && (
                <Confirm
                  label={words.removePeer}
                  question={words.removePeerQuestion(each.Node)}
                  busy={act.busy}
                  act={() => remove(each)}
                />
              ),
          },
        ]}
      />
      {servers.length > 1 && (
        <Confirm label={words.transfer} question={words.transferQuestion} busy={act.busy} act={transfer} />
      )}
      <Result act={act} needs={words.needsWrite} />
      <Reasons servers={servers} healthOf={healthOf} settings={settings} />
    </>
  )
}

function Health({ health }: { readonly health: ServerHealth | undefined }) {
  if (health === undefined) return <span class="faint">–</span>
  return <span class={health.Healthy ? 'good' : 'bad'}>{health.Healthy ? words.healthy : words.unhealthy}</span>
}

interface ReasonsProps {
  readonly servers: readonly RaftServer[]
  readonly settings: AutopilotSettings | undefined
  healthOf(server: RaftServer): ServerHealth | undefined
}

function Reasons({ servers, settings, healthOf }: ReasonsProps) {
  const told = servers.flatMap((server) => {
    const health = healthOf(server)
    const unhealthy = health === undefined ? [] : unhealthyReasons(health, settings)
    const why = server.Voter ? unhealthy : whyNoVote(server, health, settings)
    return why.length === 0 ? [] : [{ server, why }]
  })
  return (
    <section aria-labelledby="no-vote">
      <h2 id="no-vote">{words.whyNot}</h2>
      {told.length === 0 && <p>{words.allVote}</p>}
      {told.map(({ server, why }) => (
        <article key={server.ID} class="reasons warning">
          <h3>{server.Node}</h3>
          {why.map((each) => (
            <p key={each}>{each}</p>
          ))}
        </article>
      ))}
    </section>
  )
}
