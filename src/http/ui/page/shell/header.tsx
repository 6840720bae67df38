import type { Self } from '../api/catalog-shapes.ts'
import type { Caller, Client } from '../api/client.ts'
import { type DatacenterCoordinates, datacenterText, datacenterTrips } from '../explain/datacenter-trips.ts'
import { rarelyMs, useLive } from '../live/use-live.ts'
import { useOwnAgent } from '../live/use-own-agent.ts'
import { useOwnToken } from '../live/use-own-token.ts'
import { hrefOf, type PageName, pageNames } from '../place/place.ts'
import { pageTitles, shellWords } from '../words/shell-words.ts'
import type { Theme } from './theme.ts'

export interface HeaderProps {
  readonly client: Client
  readonly page: PageName
  readonly caller: Caller
  readonly theme: Theme
  setTheme(theme: Theme): void
  setDatacenter(datacenter: string): void
  askForToken(): void
  showHelp(): void
}

export function Header({ client, page, caller, theme, setTheme, setDatacenter, askForToken, showHelp }: HeaderProps) {
  return (
    <header>
      <p class="name">
        {client.product.title}
        <AgentName />
      </p>
      <nav aria-label={shellWords.views}>
        {pageNames.map((name) => (
          <a key={name} href={hrefOf(name)} aria-current={name === page ? 'page' : undefined}>
            {pageTitles[name]}
          </a>
        ))}
      </nav>
      <div class="settings">
        <DatacenterChoice chosen={caller.datacenter} choose={setDatacenter} />
        <button type="button" class="token" onClick={askForToken}>
          <TokenName />
        </button>
        <label>
          <span>{shellWords.colours}</span>{' '}
          <select value={theme} onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}>
            {(['system', 'light', 'dark'] as const).map((each) => (
              <option key={each} value={each}>
                {shellWords.coloursOf[each]}
              </option>
            ))}
          </select>
        </label>
        <button type="button" aria-label={shellWords.help} onClick={showHelp}>
          ?
        </button>
      </div>
    </header>
  )
}

/** The agent behind this page. */
function AgentName() {
  const { self } = useOwnAgent()
  return <>{self !== undefined && shellWords.agent(self.Config.NodeName, self.Config.Datacenter)}</>
}

/** Which token the requests of this tab have, by its description or accessor ID. */
function TokenName() {
  const { live, whose } = useOwnToken()
  const { AccessorID = '', Description = '' } = live.value ?? {}
  const name = Description === '' ? AccessorID : Description
  if (whose === 'agent') return <>{shellWords.tokenOfAgent(name)}</>
  if (whose === 'operator') return <>{name === '' ? shellWords.tokenGiven : shellWords.tokenOf(name)}</>
  return <>{shellWords.tokenNone}</>
}

interface DatacenterChoiceProps {
  readonly chosen: string
  choose(datacenter: string): void
}

function DatacenterChoice({ chosen, choose }: DatacenterChoiceProps) {
  const { value: names } = useLive<readonly string[]>('/v1/catalog/datacenters', {}, rarelyMs)
  const { value: self } = useLive<Self>('/v1/agent/self', {}, rarelyMs)
  const { value: all } = useLive<readonly DatacenterCoordinates[]>('/v1/coordinate/datacenters', {}, rarelyMs)
  const own = self?.Config.Datacenter
  const trips = new Map(own === undefined ? [] : datacenterTrips(own, all ?? []))
  const others = (names ?? []).filter((name) => name !== own).toSorted((a, b) => (a < b ? -1 : 1))
  const isKnown = chosen === '' || chosen === own || others.includes(chosen)
  return (
    <label>
      <span>{shellWords.datacenter}</span>{' '}
      <select value={chosen === own ? '' : chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{own ?? shellWords.ownDatacenter}</option>
        {others.map((name) => (
          <option key={name} value={name}>
            {datacenterText(name, trips)}
          </option>
        ))}
        {!isKnown && <option value={chosen}>{chosen}</option>}
      </select>
    </label>
  )
}
