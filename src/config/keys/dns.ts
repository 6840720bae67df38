import { z } from 'zod'
import { block, keysOf } from './key.ts'
import { bool, duration, text, texts, uint32, whole } from './types.ts'

/** Keys of DNS. Reference: configuration.md#dns-keys. */

const key = keysOf('dns')

export const dnsKeys = {
  dns_config: block('How DNS answers.', {
    a_record_limit: key(whole, 'As many addresses in an answer; 0: no limit.', { default: 0, since: '1.0.7' }),
    allow_stale: key(bool, 'Any server may answer, not the leader alone.', { default: true }),
    disable_compression: key(bool, 'Names in answers are written out.', { default: false }),
    enable_additional_node_meta_txt: key(bool, 'Metadata of nodes beside answers of other types, too.', {
      default: true,
      since: '1.2.0',
    }),
    enable_truncate: key(bool, 'Answers over UDP that were shortened say so.', { default: false }),
    max_stale: key(duration, 'A server that has been without a leader for longer asks another.', {
      default: '87600h',
    }),
    node_ttl: key(duration, 'Time to live of answers about nodes.', { default: '0s' }),
    only_passing: key(bool, 'Instances with a warning are left out as well.', { default: false }),
    recursor_timeout: key(duration, 'How long a recursor may take.', { default: '2s' }),
    service_ttl: key(
      z.record(z.string(), duration),
      'Time to live of answers about a service; a name may end in *, and * alone is every service.',
      { default: {} },
    ),
    soa: block('The record of the domain’s authority, in seconds.', {
      expire: key(uint32, 'When secondaries stop answering.', { default: 86_400, since: '1.3.0' }),
      min_ttl: key(uint32, 'How long it is remembered that there is no such name.', { default: 0, since: '1.3.0' }),
      refresh: key(uint32, 'When secondaries look again.', { default: 3_600, since: '1.3.0' }),
      retry: key(uint32, 'When they look again after a failure.', { default: 600, since: '1.3.0' }),
    }),
    udp_answer_limit: key(whole, 'As many instances in an answer over UDP without EDNS.', {
      default: 3,
      since: '0.7.0',
      deprecated: 'dns_config.a_record_limit',
    }),
  }),
  domain: key(text, 'Domain that DNS answers for.', { default: 'svc.' }),
  recursors: key(
    texts,
    'DNS servers that are asked for names outside the domain, in order; at port 53 unless another is written.',
    { default: [] },
  ),
}
