export type DnsTransport = 'udp' | 'tcp'
