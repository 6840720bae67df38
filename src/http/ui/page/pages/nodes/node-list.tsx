import type { NodeCoordinate, NodeOverview, Self } from '../../api/catalog-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { isInMaintenance } from '../../explain/drain.ts'
import { type RoundTrip, roundTripText } from '../../explain/round-trip.ts'
import { ChoiceField, TextField } from '../../forms/fields.tsx'
import { useCaller } from '../../live/context.ts'
import { rarelyMs, useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { countsOf, StatusCounts } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { serviceWords, nodeWords as words } from '../../words/service-words.ts'
import { shellWords } from '../../words/shell-words.ts'
import { roundTripsFrom } from './round-trips.ts'

export function NodeList() {
  const { place, setQuery } = useCaller()
  const { text = '', state = '' } = place.query
  const live = useLive<readonly NodeOverview[]>('/v1/internal/ui/nodes')
  return (
    <>
      <PageHead title={words.title} />
      <search class="filters">
        <TextField type="search" label={shellWords.filter} value={text} set={(value) => setQuery({ text: value })} />
        <ChoiceField
          label={serviceWords.state}
          value={state}
          set={(value) => setQuery({ state: value })}
          options={serviceWords.states}
        />
      </search>
      <Shown live={live} needs={words.needs}>
        {(nodes) => <Nodes nodes={nodes ?? []} text={text} state={state} />}
      </Shown>
      <Command line={commandLine('catalog nodes', '-detailed')} />
    </>
  )
}

function Nodes({
  nodes,
  text,
  state,
}: {
  readonly nodes: readonly NodeOverview[]
  readonly text: string
  readonly state: string
}) {
  const { value: self } = useLive<Self>('/v1/agent/self', {}, rarelyMs)
  const { value: coordinates } = useLive<readonly NodeCoordinate[]>('/v1/coordinate/nodes')
  const from = self?.Config.NodeName
  const trips = roundTripsFrom(from, coordinates ?? [])
  const rows = nodes.filter((node) => isInState(node, state) && hasText(node, text))
  return (
    <>
      <p role="status">{words.counted(rows.length, nodes.length)}</p>
      <Table
        caption={words.title}
        rows={rows}
        keyOf={({ Node }) => Node}
        empty={nodes.length === 0 ? words.none : words.noneMatch}
        columns={[...columns, roundTripColumn(from ?? '', trips)]}
      />
      <p class="faint">{words.roundTripHint}</p>
    </>
  )
}

const columns: readonly Column<NodeOverview>[] = [
  { head: words.node, cell: ({ Node }) => <a href={hrefOf('nodes', Node)}>{Node}</a> },
  { head: serviceWords.address, cell: ({ Address }) => <code>{Address}</code> },
  { head: serviceWords.health, cell: (node) => <Health node={node} /> },
  { head: words.services, cell: ({ Services }) => (Services ?? []).length, class: 'number' },
]

function Health({ node }: { readonly node: NodeOverview }) {
  return (
    <>
      <StatusCounts counts={countsOf(node.Checks)} />
      {isInMaintenance(node) && <strong class="maintenance"> {words.inMaintenance}</strong>}
    </>
  )
}

function roundTripColumn(from: string, trips: ReadonlyMap<string, RoundTrip>): Column<NodeOverview> {
  const textOf = (node: string): string => {
    const trip = trips.get(node)
    return trip === undefined ? '–' : roundTripText(trip)
  }
  return { head: words.roundTrip(from), cell: ({ Node }) => textOf(Node), class: 'number' }
}

function isInState({ Checks }: NodeOverview, state: string): boolean {
  const counts = countsOf(Checks)
  if (state === 'critical' || state === 'warning') return counts[state] > 0
  return state !== 'passing' || counts.critical + counts.warning === 0
}

function hasText({ Node, Address, Services }: NodeOverview, text: string): boolean {
  const wanted = text.toLowerCase()
  return [Node, Address, ...(Services ?? []).map(({ Service }) => Service)].some((each) =>
    each.toLowerCase().includes(wanted),
  )
}
