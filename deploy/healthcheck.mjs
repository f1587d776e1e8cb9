// Health check of the image: exits with 0 if the service in this container responds, otherwise with 1. Reads the same
// variables as the service.
const { CONTROL_URL = 'http://127.0.0.1:3003', CONTROL_PORT, CONTROL_LISTEN_HOST = '127.0.0.1' } = process.env
const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[CONTROL_LISTEN_HOST] ?? CONTROL_LISTEN_HOST
const port = CONTROL_PORT || new URL(CONTROL_URL).port || '80'
try {
  const { ok } = await fetch(`http://${host}:${port}/livez`)
  process.exit(ok ? 0 : 1)
} catch {
  process.exit(1)
}
