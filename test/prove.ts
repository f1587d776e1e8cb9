import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { proofs, recordProof } from './support/proofs.ts'

/** Runs a proof with further arguments. If it passes as a whole, writes that into CONTRIBUTING.md. */
const [name = '', ...further] = process.argv.slice(2)
const proof = proofs[name]
if (proof === undefined) throw new Error(`the proofs are ${Object.keys(proofs).join(', ')}`)
const child = spawn(process.execPath, [...proof.args, ...further], { stdio: 'inherit' })
// Ctrl-C reaches the proof too, which first stops what it has started.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill())
const [code] = await once(child, 'exit')
const whole = further.length === 0 && process.env.GATEHOUSE_TEST_STORAGE === undefined
if (code === 0 && whole) recordProof(name)
process.exit(code ?? 1)
