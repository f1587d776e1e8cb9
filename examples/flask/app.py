import logging
import os
import secrets
import sys
import threading

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, render_template_string, request, session

needed = ("GATEHOUSE_ISSUER", "CLIENT_ID", "CLIENT_SECRET")
missing = [name for name in needed if not os.environ.get(name)]
if missing:
    sys.exit(f"Set {', '.join(missing)}. GATEHOUSE_ISSUER is the URL of Gatehouse.")

issuer = os.environ["GATEHOUSE_ISSUER"]
port = int(os.environ.get("PORT", "4001"))
redirect_uri = f"http://127.0.0.1:{port}/callback"

app = Flask(__name__)
# In production, use a fixed key and set SESSION_COOKIE_SECURE.
app.secret_key = secrets.token_hex()
app.config.update(SESSION_COOKIE_NAME="flask-example", SESSION_COOKIE_SAMESITE="Lax")

gatehouse = OAuth(app).register(
    "gatehouse",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    # The endpoints, and `iss` if the operator switched it on, come from the metadata.
    server_metadata_url=f"{issuer}/.well-known/oauth-authorization-server",
    client_kwargs={"scope": "user.identify offline_access", "code_challenge_method": "S256"},
)

# Tokens by session ID. Flask's own session is a cookie that its user can read. In production, use a database.
tokens = {}
refreshing = threading.Lock()


@app.get("/")
def home():
    return show(person=read_person())


@app.post("/sign-in")
def sign_in():
    # First tries without the consent page: most users have already consented.
    return gatehouse.authorize_redirect(redirect_uri, consent="skip")


@app.get("/callback")
def callback():
    try:
        token = gatehouse.authorize_access_token()
    except OAuthError as error:
        # A scope is not granted yet, so the consent page is needed.
        if error.error == "consent_required":
            return gatehouse.authorize_redirect(redirect_uri)
        if error.error == "access_denied":
            return show(message="You chose Deny, so nobody was signed in.")
        app.logger.error("sign-in failed: %s: %s", error.error, error.description)
        return show(message="The sign-in failed. Please try again."), 502
    session.clear()
    session["id"] = secrets.token_urlsafe()
    tokens[session["id"]] = token
    return redirect("/")


@app.post("/sign-out")
def sign_out():
    token = tokens.pop(session.pop("id", None), None)
    if token is not None:
        revoke = gatehouse.load_server_metadata()["revocation_endpoint"]
        # Ends the whole authorization.
        gatehouse.post(revoke, data={"token": token["refresh_token"]}, withhold_token=True).raise_for_status()
    return redirect("/")


def read_person():
    """Returns the signed-in user, or None. Refreshes the tokens if the access token is rejected."""
    token = tokens.get(session.get("id"))
    if token is None:
        return None
    userinfo = gatehouse.load_server_metadata()["userinfo_endpoint"]
    response = gatehouse.get(userinfo, token=token)
    if response.status_code == 401:
        token = refreshed(session["id"], token)
        if token is None:
            return None
        response = gatehouse.get(userinfo, token=token)
    response.raise_for_status()
    return response.json()


def refreshed(session_id, old):
    """Refreshes once, even if two requests use the same refresh token: presenting it twice revokes all tokens."""
    with refreshing:
        current = tokens.get(session_id)
        if current is not old:
            return current
        try:
            tokens[session_id] = gatehouse.fetch_access_token(
                grant_type="refresh_token", refresh_token=old["refresh_token"]
            )
        except OAuthError as error:
            if error.error != "invalid_grant":
                raise
            # The user revoked the access, or the authorization has ended.
            del tokens[session_id]
        return tokens.get(session_id)


def show(person=None, message=""):
    return render_template_string(page, person=person, message=message)


page = """<!doctype html><html lang="en"><title>Flask example</title><h1>Flask example</h1>
{% if person %}
<p>Signed in as {{ person.name }} ({{ person.sub }}).</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>
{% else %}
<p>{{ message }}</p>
<form method="post" action="/sign-in"><button>Sign in with Gatehouse</button></form>
{% endif %}</html>"""

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    print(f"Open http://127.0.0.1:{port}", flush=True)
    app.run("127.0.0.1", port)
