/** The field's prime and the curve's constant (RFC 8032 section 5.1). */
const p = 2n ** 255n - 19n
const d = quotient(-121_665n, 121_666n)

/**
 * Returns whether 32 bytes in hexadecimal are an Ed25519 public key: a point of the curve (RFC 8032 section 5.1.3) whose
 * order isn't small. Node imports any bytes. With a key that is no point, no signature verifies; with one of small order,
 * such as zeros, anyone can sign.
 */
export function isEd25519Key(hex: string): boolean {
  const number = BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`)
  let y = BigInt.asUintN(255, number)
  const isNegative = number !== y
  const square = xSquaredAt(y)
  if (y >= p || (square === 0n && isNegative)) return false
  if (square !== 0n && power(square, (p - 1n) / 2n) !== 1n) return false
  for (let doublings = 0; doublings < 3; doublings += 1) {
    const xSquared = xSquaredAt(y)
    y = quotient(y * y + xSquared, 1n - d * xSquared * y * y)
  }
  return y !== 1n
}

/** Returns x² of the points with this y: −x² + y² = 1 + dx²y². */
function xSquaredAt(y: bigint): bigint {
  return quotient(y * y - 1n, d * y * y + 1n)
}

function quotient(dividend: bigint, divisor: bigint): bigint {
  return modulo(dividend * power(divisor, p - 2n))
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = modulo(base)
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = modulo(result * square)
    square = modulo(square * square)
  }
  return result
}

function modulo(number: bigint): bigint {
  return ((number % p) + p) % p
}
