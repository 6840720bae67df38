import { invariant } from '../../src/base/invariant.ts'
import { type LoadedScenario, loadScenario } from '../scenario/language/load.ts'

/** The cluster of a session without a scenario. */
export interface PlayCluster {
  readonly servers?: number | undefined
  readonly clients?: number | undefined
}

/** Three servers and a client agent, each with its web interface. */
export function playPage({ servers = 3, clients = 1 }: PlayCluster): LoadedScenario {
  const page = {
    scenario: 'a cluster to play with',
    lasts: '1s',
    cluster: {
      dc1: {
        servers: { count: servers },
        ...(clients === 0 ? {} : { clients: { count: clients } }),
        config: { ui: true },
      },
    },
  }
  // JSON is a subset of YAML, so the page is parsed and checked like any other.
  const loaded = loadScenario('a cluster to play with', JSON.stringify(page, undefined, 1))
  invariant(loaded.ok, 'the page of a session is a valid one')
  return loaded.value
}
