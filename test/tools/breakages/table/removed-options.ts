import type { Breakage } from '../breakage.ts'

/** Options that a release has removed: each is refused, with the release and the successor. */
export const removedOptionBreakages: readonly Breakage[] = [
  {
    id: 'CFG-027',
    file: 'src/config/past/removed.ts',
    find: "  ['dc', { ...inOne, instead: 'use -datacenter' }],\n",
    replace: '',
  },
  {
    id: 'CFG-028',
    file: 'src/config/past/removed.ts',
    find: "    'retry-join-azure-tag-value',\n",
    replace: '',
  },
  {
    id: 'CFG-029',
    file: 'src/config/past/removed.ts',
    find: "    'retry-join-ec2-region',\n",
    replace: '',
  },
  {
    id: 'CFG-030',
    file: 'src/config/past/removed.ts',
    find: "    'retry-join-gce-zone-pattern',\n",
    replace: '',
  },
  {
    id: 'CFG-031',
    file: 'src/config/past/removed.ts',
    find: "  ['retry_join_azure', discovery],\n",
    replace: '',
  },
  {
    id: 'CFG-032',
    file: 'src/config/past/removed.ts',
    find: "['addresses.rpc', cliRpc]",
    replace: "['addresses.rpc', use('addresses.http')]",
  },
  {
    id: 'CFG-033',
    file: 'src/config/past/removed.ts',
    find: "  ['ports.rpc', cliRpc],\n",
    replace: '',
  },
  {
    id: 'CFG-034',
    file: 'src/config/past/removed.ts',
    find: "\"use 'advertise_addr', 'advertise_addr_wan' and 'ports'\"",
    replace: '"use \'advertise_addr\'"',
  },
  {
    id: 'CFG-035',
    file: 'src/config/past/removed.ts',
    find: "  ['http_api_response_headers', use('http_config.response_headers')],\n",
    replace: '',
  },
  {
    id: 'CFG-036',
    file: 'src/config/past/removed.ts',
    find: "  ['recursor', use('recursors')],\n",
    replace: '',
  },
  {
    id: 'CFG-037',
    file: 'src/config/past/removed.ts',
    find: "['statsite_addr', use('telemetry.statsite_address')]",
    replace: "['statsite_addr', use('telemetry.statsd_address')]",
  },
  {
    id: 'CFG-038',
    file: 'src/config/past/removed.ts',
    find: "['dogstatsd_tags', use('telemetry.dogstatsd_tags')]",
    replace: "['dogstatsd_tags', use('telemetry.dogstatsd_addr')]",
  },
  {
    id: 'CFG-039',
    file: 'src/config/past/removed.ts',
    find: "  ['telemetry.dogstatsd_prefix', use('telemetry.metrics_prefix')],\n",
    replace: '',
  },
  {
    id: 'CFG-040',
    file: 'src/config/past/removed.ts',
    find: "  ['reap', reaping],\n",
    replace: '',
  },
  {
    id: 'CFG-041',
    file: 'src/config/past/removed.ts',
    find: "since: '1.1.0',\n  by: 'old-metric-names-gone'",
    replace: "since: '1.0',\n  by: 'old-metric-names-gone'",
  },
  {
    id: 'CFG-042',
    file: 'src/config/past/removed.ts',
    find: '`removed in ${removal.since}, ${removal.instead}`',
    replace: '`removed: ${removal.instead}`',
  },
]
