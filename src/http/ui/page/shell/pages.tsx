import { AccessPage } from '../pages/access/access-page.tsx'
import { PolicyPage } from '../pages/access/policy-page.tsx'
import { TokenPage } from '../pages/access/token-page.tsx'
import { AuthorityPage } from '../pages/authority/authority-page.tsx'
import { ClusterPage } from '../pages/cluster/cluster-page.tsx'
import { HappeningPage } from '../pages/happenings/happening-page.tsx'
import { IntentionList } from '../pages/intentions/intention-list.tsx'
import { IntentionPage } from '../pages/intentions/intention-page.tsx'
import { KeyList } from '../pages/keys/key-list.tsx'
import { KeyPage } from '../pages/keys/key-page.tsx'
import { NodeList } from '../pages/nodes/node-list.tsx'
import { NodePage } from '../pages/nodes/node-page.tsx'
import { QueryList } from '../pages/queries/query-list.tsx'
import { QueryPage } from '../pages/queries/query-page.tsx'
import { ServiceList } from '../pages/services/service-list.tsx'
import { ServicePage } from '../pages/services/service-page.tsx'
import { SessionList } from '../pages/sessions/session-list.tsx'
import { SessionPage } from '../pages/sessions/session-page.tsx'
import { NoPage } from './no-page.tsx'

/** The page of a place. */
export function OpenPage({ path }: { readonly path: readonly string[] }) {
  const [page, first, second = ''] = path
  switch (page) {
    case 'services':
      return first === undefined ? <ServiceList /> : <ServicePage name={first} />
    case 'nodes':
      return first === undefined ? <NodeList /> : <NodePage name={first} />
    case 'keys':
      return first === 'key' ? <KeyPage name={second} /> : <KeyList prefix={first === 'below' ? second : ''} />
    case 'sessions':
      return first === undefined ? <SessionList /> : <SessionPage id={first} />
    case 'queries':
      return first === undefined ? <QueryList /> : <QueryPage id={first} />
    case 'intentions':
      return first === 'edit' ? <IntentionPage id={second} /> : <IntentionList />
    case 'access':
      if (first === 'token') return <TokenPage accessor={second} />
      return first === 'policy' ? <PolicyPage id={second} /> : <AccessPage />
    case 'cluster':
      return <ClusterPage />
    case 'authority':
      return <AuthorityPage />
    case 'happenings':
      return <HappeningPage />
    default:
      return <NoPage path={path} />
  }
}
