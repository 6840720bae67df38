import { EventPanel, type EventPanelProps } from './event-panel.tsx'
import { HelpPanel, type Keys } from './help-panel.tsx'
import { MembersPanel } from './members-panel.tsx'
import { SearchPanel } from './search-panel.tsx'
import { StatePanel } from './state-panel.tsx'
import { StoryPanel } from './story-panel.tsx'
import type { Tab } from './view.ts'

export interface FilmPanelProps extends EventPanelProps {
  readonly tab: Tab
  /** Keys of this page alone. */
  readonly pageKeys?: Keys
  readonly onTime: (atUs: number) => void
  readonly onViolation: (place: number) => void
}

/** The panel beside the picture that was chosen. */
export function FilmPanel({ source, view, tab, pageKeys, onTime, onShow, onViolation }: FilmPanelProps) {
  const { overview } = source
  return (
    <div role="tabpanel" id={`panel-${tab}`}>
      {tab === 'story' ? <StoryPanel {...{ overview, view, onTime, onShow, onViolation }} /> : null}
      {tab === 'event' ? <EventPanel source={source} view={view} onShow={onShow} /> : null}
      {tab === 'state' ? <StatePanel source={source} view={view} /> : null}
      {tab === 'members' ? <MembersPanel overview={overview} view={view} /> : null}
      {tab === 'search' ? <SearchPanel source={source} view={view} onShow={onShow} /> : null}
      {tab === 'help' ? <HelpPanel pageKeys={pageKeys} /> : null}
    </div>
  )
}

export interface TabListProps<Name extends string> {
  readonly tabs: readonly Name[]
  readonly tab: Name
  readonly setTab: (tab: Name) => void
}

export function TabList<Name extends string>({ tabs, tab, setTab }: TabListProps<Name>) {
  return (
    <div role="tablist" class="tabs">
      {tabs.map((name) => (
        <button type="button" role="tab" key={name} aria-selected={name === tab} onClick={() => setTab(name)}>
          {name}
        </button>
      ))}
    </div>
  )
}
