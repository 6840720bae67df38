import type { Self } from '../../api/catalog-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { type Member, memberStatus, type RaftServer } from '../../api/cluster-shapes.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { type DatacenterCoordinates, datacenterTrips } from '../../explain/datacenter-trips.ts'
import { roundTripText } from '../../explain/round-trip.ts'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { rarelyMs, useLive } from '../../live/use-live.ts'
import { useOwnAgent } from '../../live/use-own-agent.ts'
import { Command } from '../../parts/command.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { clusterWords as words } from '../../words/cluster-words.ts'
import { nodeWords } from '../../words/service-words.ts'
import { AutopilotForm } from './autopilot-form.tsx'
import { ServersPart } from './servers-part.tsx'

export function ClusterPage() {
  const leader = useLive<string>('/v1/status/leader')
  const raft = useLive<{ readonly Servers: readonly RaftServer[] }>('/v1/operator/raft/configuration')
  const named = raft.value?.Servers.find(({ Leader }) => Leader)?.Node ?? ''
  return (
    <>
      <PageHead title={words.title} />
      <Shown live={leader}>
        {(address) => <p role="status">{address === '' ? words.noLeader : words.leads(named, address)}</p>}
      </Shown>
      <ServersPart raft={raft} />
      <OwnRaft />
      <MembersPart />
      <Datacenters />
      <AutopilotForm />
    </>
  )
}

/** An agent knows the members of its own datacenter, and a server the servers of the others. */
function MembersPart() {
  const { client } = useCaller()
  const { isHere } = useOwnAgent()
  const live = useLive<readonly Member[]>('/v1/agent/members', isHere ? {} : { wan: '1' })
  const { datacenter } = client.caller
  const ofPage = ({ Tags }: Member): boolean => isHere || Tags['dc'] === datacenter
  return (
    <>
      {!isHere && <p>{words.serversOf(datacenter)}</p>}
      <Shown live={live} needs={words.needsMembers}>
        {(all) => <Members members={(all ?? []).filter(ofPage)} empty={isHere ? words.noMembers : words.noServers} />}
      </Shown>
      <Command line={commandLine('members', isHere ? '-detailed' : '-wan')} />
    </>
  )
}

/** Where the slow datacenter is. */
function Datacenters() {
  const { value: self } = useLive<Self>('/v1/agent/self', {}, rarelyMs)
  const { value: all } = useLive<readonly DatacenterCoordinates[]>('/v1/coordinate/datacenters')
  if (self === undefined || all === undefined) return null
  const own = self.Config.Datacenter
  return (
    <>
      <Table
        caption={words.trips(own)}
        rows={datacenterTrips(own, all)}
        keyOf={([datacenter]) => datacenter}
        empty={words.noTrips(own)}
        columns={[
          { head: words.datacenter, cell: ([datacenter]) => datacenter },
          { head: words.roundTrip, cell: ([, trip]) => roundTripText(trip), class: 'number' },
        ]}
      />
      <p class="faint">{nodeWords.roundTripHint}</p>
      <Command line={withOperands(commandLine('rtt', '-wan'), 'SERVER.DC1', 'SERVER.DC2')} />
    </>
  )
}

function OwnRaft() {
  const { value: self } = useLive<Self>('/v1/agent/self')
  const raft = self?.Stats?.raft
  if (self === undefined || raft === undefined) return null
  return (
    <>
      <h2>
        {words.own}: {self.Config.NodeName}
      </h2>
      <Facts
        rows={[
          [words.version, self.Config.Version],
          [words.ownState, raft['state']],
          [words.ownTerm, raft['term']],
          [words.ownIndex, raft['applied_index']],
        ]}
      />
    </>
  )
}

interface MembersProps {
  readonly members: readonly Member[]
  readonly empty: string
}

function Members({ members, empty }: MembersProps) {
  const act = useAct()
  const forceLeave = (name: string): void =>
    void act.send({ method: 'PUT', path: `/v1/agent/force-leave${pathOf(name)}` }, words.forceLeft(name))
  return (
    <>
      <Table
        caption={words.members}
        rows={members.toSorted((a, b) => (a.Name < b.Name ? -1 : 1))}
        keyOf={({ Name }) => Name}
        empty={empty}
        columns={[
          { head: words.member, cell: (each) => <a href={hrefOf('nodes', nodeOf(each))}>{each.Name}</a> },
          { head: words.status, cell: (each) => <MemberStatus member={each} /> },
          { head: words.role, cell: ({ Tags }) => (Tags['port'] === undefined ? words.roleClient : words.roleServer) },
          { head: words.address, cell: ({ Addr, Port }) => <code>{`${Addr}:${Port}`}</code> },
          { head: words.version, cell: versionOf },
          {
            head: words.actions,
            cell: (each) =>
              memberStatus(each) === 'failed' && (
                <Confirm
                  label={words.forceLeave}
                  question={words.forceLeaveQuestion(each.Name)}
                  busy={act.busy}
                  act={() => forceLeave(each.Name)}
                />
              ),
          },
        ]}
      />
      <Result act={act} needs={words.needsLeave} />
      {members.length > 0 && (
        <>
          <h3>{words.versions}</h3>
          <p>{versionsText(members)}</p>
        </>
      )}
    </>
  )
}

/** Between datacenters a server is named with its own: `s1.dc1`. */
function nodeOf({ Name, Tags }: Member): string {
  const suffix = `.${Tags['dc']}`
  return Name.endsWith(suffix) ? Name.slice(0, -suffix.length) : Name
}

function MemberStatus({ member }: { readonly member: Member }) {
  const status = memberStatus(member)
  return <span class={status === 'alive' ? 'good' : 'bad'}>{status}</span>
}

/** The build of an agent is `1.4.0:revision`. */
function versionOf({ Tags }: Member): string {
  return (Tags['build'] ?? '').split(':')[0] ?? ''
}

function versionsText(members: readonly Member[]): string {
  const counts = new Map<string, number>()
  for (const member of members) counts.set(versionOf(member), (counts.get(versionOf(member)) ?? 0) + 1)
  const [first] = counts
  if (counts.size === 1 && first !== undefined) return words.versionsOne(first[0])
  return words.versionsMany([...counts].map(([version, count]) => `${version} (${count})`).join(', '))
}
