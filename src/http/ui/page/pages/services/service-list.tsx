import { byName } from '../../api/by-name.ts'
import type { ServiceSummary } from '../../api/catalog-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { ChoiceField, TextField } from '../../forms/fields.tsx'
import { useCaller } from '../../live/context.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { StatusCounts } from '../../parts/status.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { serviceWords as words } from '../../words/service-words.ts'
import { shellWords } from '../../words/shell-words.ts'
import { ExpressionField } from './expression-field.tsx'

export function ServiceList() {
  const { place, setQuery } = useCaller()
  const { text = '', state = '', filter = '' } = place.query
  const query = filter === '' ? {} : { filter }
  const live = useLive<readonly ServiceSummary[]>('/v1/internal/ui/services', query)
  // The summary of a service has no tags.
  const { value: tags } = useLive<Tags>('/v1/catalog/services', query)
  return (
    <>
      <PageHead title={words.title} />
      <search class="filters">
        <TextField type="search" label={shellWords.filter} value={text} set={(value) => setQuery({ text: value })} />
        <ChoiceField
          label={words.state}
          value={state}
          set={(value) => setQuery({ state: value })}
          options={words.states}
        />
        <ExpressionField value={filter} set={(value) => setQuery({ filter: value })} />
      </search>
      <Shown live={live} needs={words.needs}>
        {(services) => <Services services={services ?? []} tags={tags ?? {}} text={text} state={state} />}
      </Shown>
      <Command line={commandLine('catalog services', '-tags')} />
    </>
  )
}

/** The tags of all instances of a service, by its name. */
type Tags = Readonly<Record<string, readonly string[]>>

interface ServicesProps {
  readonly services: readonly ServiceSummary[]
  readonly tags: Tags
  readonly text: string
  readonly state: string
}

function Services({ services, tags, text, state }: ServicesProps) {
  const tagsOf = ({ Name }: ServiceSummary): readonly string[] => byName(tags, Name) ?? []
  const rows = services.filter((each) => isInState(each, state) && hasText(each, tagsOf(each), text))
  return (
    <>
      <p role="status">{words.counted(rows.length, services.length)}</p>
      <Table
        caption={words.title}
        rows={rows}
        keyOf={({ Name }) => Name}
        empty={services.length === 0 ? words.none : words.noneMatch}
        columns={[
          { head: words.service, cell: ({ Name }) => <a href={hrefOf('services', Name)}>{Name}</a> },
          { head: words.health, cell: (each) => <StatusCounts counts={countsIn(each)} /> },
          { head: words.nodes, cell: ({ Nodes }) => (Nodes ?? []).length, class: 'number' },
          { head: words.tags, cell: (each) => tagsOf(each).map((tag) => <code key={tag}>{tag}</code>) },
          { head: words.kind, cell: ({ Kind }) => Kind ?? '' },
        ]}
      />
    </>
  )
}

function countsIn({ ChecksPassing, ChecksWarning, ChecksCritical }: ServiceSummary) {
  return { passing: ChecksPassing, warning: ChecksWarning, critical: ChecksCritical }
}

function isInState(service: ServiceSummary, state: string): boolean {
  if (state === 'critical') return service.ChecksCritical > 0
  if (state === 'warning') return service.ChecksWarning > 0
  return state !== 'passing' || service.ChecksCritical + service.ChecksWarning === 0
}

function hasText({ Name, Nodes }: ServiceSummary, tags: readonly string[], text: string): boolean {
  const wanted = text.toLowerCase()
  return [Name, ...tags, ...(Nodes ?? [])].some((each) => each.toLowerCase().includes(wanted))
}
