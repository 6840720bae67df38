import { z } from 'zod'
import { block, keysOf } from './key.ts'
import { bool, duration, text, texts, uint32, whole } from './types.ts'

/** Keys of DNS. Reference: configuration.md#dns-keys. */

const key = keysOf('dns')

export const dnsKeys = {
  dns_config: block('How questions over DNS are answered.', {
    a_record_limit: key(whole, 'The largest number of addresses in an answer; 0: no limit.', {
      default: 0,
      since: '1.0.7',
    }),
    allow_stale: key(bool, 'Any server may answer, and not only the leader.', { default: true }),
    disable_compression: key(bool, 'Names in answers are written in full.', { default: false }),
    enable_additional_node_meta_txt: key(
      bool,
      'Answers of every type carry the metadata of their nodes as TXT records, and not only answers to TXT questions.',
      {
        default: true,
        since: '1.2.0',
      },
    ),
    enable_truncate: key(bool, 'Answers over UDP that were shortened carry the flag TC.', { default: false }),
    max_stale: key(
      duration,
      'With allow_stale: an answer of a server that has not heard from the leader for longer is not taken; the leader is asked instead.',
      {
        default: '87600h',
      },
    ),
    node_ttl: key(duration, 'Time to live of answers about nodes.', { default: '0s' }),
    only_passing: key(bool, 'Instances with a warning are left out, too, and not only critical ones.', {
      default: false,
    }),
    recursor_timeout: key(duration, 'How long a recursor has to answer before the next one is asked.', {
      default: '2s',
    }),
    service_ttl: key(
      z.record(z.string(), duration),
      'Time to live of answers about a service, by its name. A name may end in *, and * alone stands for every service.',
      { default: {} },
    ),
    soa: block('The start-of-authority record of the domain; times are in seconds.', {
      expire: key(uint32, 'After this time without a refresh a secondary stops answering.', {
        default: 86_400,
        since: '1.3.0',
      }),
      min_ttl: key(uint32, 'How long resolvers remember that a name does not exist.', { default: 0, since: '1.3.0' }),
      refresh: key(uint32, 'Interval at which a secondary name server refreshes.', { default: 3_600, since: '1.3.0' }),
      retry: key(uint32, 'Interval at which a secondary name server retries a failed refresh.', {
        default: 600,
        since: '1.3.0',
      }),
    }),
    udp_answer_limit: key(whole, 'The largest number of instances in an answer over UDP to a client without EDNS.', {
      default: 3,
      since: '0.7.0',
      deprecated: 'dns_config.a_record_limit',
    }),
  }),
  domain: key(text, 'Domain that DNS answers for.', { default: 'svc.' }),
  recursors: key(
    texts,
    'DNS servers that are asked, in order, for names outside the domain; at port 53 unless another is given.',
    { default: [] },
  ),
}
