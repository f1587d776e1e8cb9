import { BlockList, isIP } from 'node:net'

/** Networks that are not on the public internet (IANA special-purpose registries, RFC 6890), and multicast. */
const internal = new BlockList()
for (const network of [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]) {
  const [address = '', bits] = network.split('/')
  internal.addSubnet(address, Number(bits), 'ipv4')
}

/** Global unicast: the only IPv6 addresses on the public internet. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
for (const network of [
  '2001::/23', // protocol assignments, with Teredo, which embeds IPv4 addresses
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds IPv4 addresses
  '3fff::/20', // documentation
]) {
  const [address = '', bits] = network.split('/')
  internal.addSubnet(address, Number(bits), 'ipv6')
}

/**
 * Returns whether the address is internal, that is, not on the public internet. IPv6 addresses that embed an IPv4
 * address (mapped, NAT64, 6to4, Teredo) count as internal, because the connection could end at the embedded address.
 */
export function isInternalAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return internal.check(address, 'ipv4')
    case 6:
      // A zone, as in fe80::1%eth0, occurs only in link-local addresses.
      return address.includes('%') || !globalUnicast.check(address, 'ipv6') || internal.check(address, 'ipv6')
    default:
      return true
  }
}
