require "net/http"

# Downloads files over HTTPS.
class Downloader
  def initialize(logger)
    @logger = logger
  end

  def fetch(uri)
    http = Net::HTTP.new(uri.host, uri.port)
    http.use_ssl = true
    @logger.info("fetching #{uri}")
    http.get(uri.request_uri).body
  end
end
