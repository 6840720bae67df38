import { z } from 'zod'
import { block, keysOf } from './key.ts'
import { bool, text, texts } from './types.ts'

/** Keys of the mesh and its certificate authority. Reference: configuration 6. */

const waits = { for: 'the mesh' } as const
const key = keysOf('mesh', { since: '1.2.0', waits })
const managed = { deprecated: 'a sidecar registration' }
const anything = z.record(z.string(), z.unknown())

export const connectKeys = {
  connect: block('The mesh and its certificate authority.', {
    ca_config: key(anything, 'Settings of the authority; those of the provider that is named are checked.'),
    ca_provider: key(text, 'Who signs certificates: the servers, or vault. Only for the first start of a cluster.', {
      default: '',
    }),
    enabled: key(bool, 'The mesh is on, with a certificate authority of its own.', {
      default: false,
      waits: {
        ...waits,
        refused: 'the mesh and its certificate authority are not there yet: no certificate would be signed or checked',
      },
    }),
    proxy: block('Proxies that the agent starts.', {
      allow_managed_api_registration: key(bool, 'They may be registered over HTTP.', { default: false, ...managed }),
      allow_managed_root: key(bool, 'They run as root where the agent does.', { default: false, ...managed }),
    }),
    proxy_defaults: block('What proxies have that say nothing else.', {
      config: key(anything, 'Settings of the proxy.', managed),
      daemon_command: key(texts, 'A program that runs as long as the proxy.', managed),
      exec_mode: key(text, 'daemon or script.', managed),
      script_command: key(texts, 'A program that is run at each change.', managed),
    }),
  }),
}
