import type { NodeCoordinate, NodeOverview } from '../../api/catalog-shapes.ts'
import { pathOf } from '../../api/client.ts'
import type { Session } from '../../api/key-shapes.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { roundTripText } from '../../explain/round-trip.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Facts, Pairs } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { serviceWords, nodeWords as words } from '../../words/service-words.ts'
import { sessionWords } from '../../words/session-words.ts'
import { shellWords } from '../../words/shell-words.ts'
import { CheckTable } from '../services/check-table.tsx'
import { NodeMaintenance } from './node-maintenance.tsx'
import { roundTripsFrom } from './round-trips.ts'

export function NodePage({ name }: { readonly name: string }) {
  const live = useLive<NodeOverview>(`/v1/internal/ui/node${pathOf(name)}`)
  return (
    <>
      <PageHead title={`${words.node} ${name}`} />
      <Shown live={live} needs={words.needsOf(name)} absent={words.absent}>
        {(node) => <Node node={node} />}
      </Shown>
      <Command line={commandLine('catalog services', `-node=${name}`)} />
    </>
  )
}

function Node({ node }: { readonly node: NodeOverview }) {
  return (
    <>
      <Facts
        rows={[
          [shellWords.id, node.ID && <code key="id">{node.ID}</code>],
          [serviceWords.address, <code key="address">{node.Address}</code>],
          [serviceWords.metadata, <Pairs key="meta" pairs={node.Meta} />],
        ]}
      />
      <NodeMaintenance node={node} />
      <Table
        caption={words.services}
        rows={node.Services ?? []}
        keyOf={({ ID }) => ID}
        columns={[
          { head: serviceWords.instance, cell: ({ ID }) => ID },
          { head: serviceWords.service, cell: ({ Service }) => <a href={hrefOf('services', Service)}>{Service}</a> },
          { head: words.port, cell: ({ Port }) => Port, class: 'number' },
          { head: serviceWords.tags, cell: ({ Tags }) => (Tags ?? []).map((tag) => <code key={tag}>{tag}</code>) },
          { head: serviceWords.metadata, cell: ({ Meta }) => <Pairs pairs={Meta} /> },
        ]}
      />
      <CheckTable checks={node.Checks ?? []} />
      <NodeSessions node={node.Node} />
      <RoundTrips from={node.Node} />
    </>
  )
}

function NodeSessions({ node }: { readonly node: string }) {
  const live = useLive<readonly Session[]>(`/v1/session/node${pathOf(node)}`)
  return (
    <Shown live={live} needs={`session:read ${node}`}>
      {(sessions) => (
        <Table
          caption={words.sessions}
          rows={sessions ?? []}
          keyOf={({ ID }) => ID}
          columns={[
            { head: shellWords.id, cell: ({ ID }) => <a href={hrefOf('sessions', ID)}>{ID}</a> },
            { head: sessionWords.name, cell: ({ Name }) => Name },
            { head: sessionWords.ttl, cell: ({ TTL }) => TTL },
          ]}
        />
      )}
    </Shown>
  )
}

function RoundTrips({ from }: { readonly from: string }) {
  const { value: coordinates } = useLive<readonly NodeCoordinate[]>('/v1/coordinate/nodes')
  const trips = [...roundTripsFrom(from, coordinates ?? [])].toSorted(([, a], [, b]) => b.ms - a.ms)
  return (
    <>
      <Table
        caption={words.farthest}
        rows={trips}
        keyOf={([node]) => node}
        columns={[
          { head: words.node, cell: ([node]) => <a href={hrefOf('nodes', node)}>{node}</a> },
          { head: words.roundTrip(from), cell: ([, trip]) => roundTripText(trip), class: 'number' },
        ]}
      />
      <p class="faint">{words.roundTripHint}</p>
      <Command line={withOperands(commandLine('rtt'), from, 'NODE')} />
    </>
  )
}
